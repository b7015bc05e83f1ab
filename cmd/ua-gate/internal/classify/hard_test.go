package classify

import (
	"slices"
	"strings"
	"testing"

	"ua/cmd/ua-gate/internal/finding"
)

// TestHard holds that a short text is not much work, whatever it says: arguments that
// double, loops inside loops, comments that the parser misreads. What is too much is not
// read, and never forgotten.
func TestHard(t *testing.T) {
	words := strings.Repeat("x ", 200)
	for name, command := range map[string]string{
		"set": "set -- hid " + strings.Repeat("x ", 2000) +
			strings.Repeat(`; set -- "$@" "$@"`, 40) + `; "$@"`,
		"one set": "set -- hid " + words + "; set -- " + strings.Repeat(`"$@" `, 9000) +
			`; "$@"`,
		"arrays":    "a=(hid " + words + "); b=(" + strings.Repeat(`"${a[@]}" `, 5000) + `); "${b[@]}"`,
		"functions": "f() { f \"$@\" \"$@\"; }; f hid " + words + `; "$@"; hid`,
		"loops":     strings.Repeat("for a in 1 2; do ", 300) + "hid;" + strings.Repeat("done;", 300),
		"whiles":    strings.Repeat("while read a; do ", 300) + "hid;" + strings.Repeat("done;", 300),
		"comments":  strings.Repeat("# x \\\n", 9000) + "hid",
		"blanks":    strings.Repeat("\t#\\\n", 9000) + "hid",
	} {
		r := Classify(command, &here)
		if !slices.ContainsFunc(slices.Collect(r.All()), func(p *finding.Part) bool {
			return p.Unread || len(p.Words) > 0 && (p.Words[0].Text == "hid" || !p.Words[0].Known)
		}) {
			t.Errorf("%s: not seen", name)
		}
	}
	r := Classify("# a \\\n # b \\\n#c\\\n\nrm x # d\nrm y", &here)
	if len(r.Parts) != 2 || r.Parts[1].Name != "rm" {
		t.Errorf("comments: %+v", r.Parts)
	}
}
