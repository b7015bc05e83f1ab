package classify

import "testing"

// unknownNames are names of programs that the table has no row for, by what they say.
var unknownNames = []string{"frobnilint", "quuxfmt", "zork2frob", "frobnic-diff", "blorb-stats",
	"ppmtofrob", "zorktopnm", "grue-check"}

// TestByName holds that a program that is judged by its name alone is judged by its flags, too.
func TestByName(t *testing.T) {
	for i, name := range unknownNames {
		if readTable(t).find(name) != nil {
			t.Errorf("%s has a row", name)
		}
		for j, form := range coarseForms {
			for k, words := range form.words {
				command := name + " " + words
				if (i+k)%2 == 0 {
					command += " src/a.c"
				}
				if r := Classify(command, &here); r.Level < form.least && j < 3 {
					t.Errorf("%q is %v (%s)", command, r.Level, r.Row)
				}
			}
		}
		for _, words := range []string{"", "src/a.c", "-v src", "--quiet a.txt",
			"--color=never src"} {
			if r := Classify(name+" "+words, &here); r.Level > write {
				t.Errorf("%q is %v (%s: %s)", name+" "+words, r.Level, r.Row, r.Reason)
			}
		}
	}
	for _, command := range []string{"frobnilint u@h", "frobnilint h.test:80", "netlint a",
		"xsecretdump -dump",
		"frob2zork 10.0.0.1", "frobnilint https://h.test/", "frobnilint ~/.ssh/id_rsa",
		"zork2frob a ~/docs/b", "raspi-config nonint do_x 1", "zork2frob a /etc/b"} {
		if r := Classify(command, &here); r.Level <= write {
			t.Errorf("%q is %v (%s)", command, r.Level, r.Row)
		}
	}
}
