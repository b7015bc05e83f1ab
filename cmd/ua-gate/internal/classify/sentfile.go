package classify

import "strings"

// sends is the rule for a value of which @FILE is a file.
func (a *argv) sends(val word, flag string) {
	if _, file, ok := strings.Cut(val.text, "@"); ok && !strings.Contains(val.text, "=") &&
		inList(" --data-urlencode --url-query ", flag) {
		val = val.with("@" + file) // NAME@FILE
	}
	i := strings.IndexAny(val.text, "@<")
	if i < 0 || i > 0 && val.text[i-1] != '=' && val.text[i-1] != ';' {
		a.out |= val.from
		return
	}
	file := val.cut(i + 1)
	if file.text, _, _ = strings.Cut(file.text, ";"); file.text != "-" {
		a.reads(file)
	}
}

// sendsMore is the rule for secrets on other ways to the network: by what git takes up and sends
// later, and by files that the input names to a program which talks to other machines.
func (a *argv) sendsMore(from flow) {
	if program, verb, ok := strings.Cut(a.name, " "); ok && program == "git" {
		if a.p.Level == network && a.w.committed {
			a.out |= fromSecret
		}
		a.w.committed = a.w.committed || verb != "diff" && (from|a.out)&fromSecret != 0
	}
	if a.p.Level == network && a.in.known {
		for text := range strings.FieldsFuncSeq(a.in.text, partsPlaces) {
			a.reads(lit(text))
		}
	}
}
