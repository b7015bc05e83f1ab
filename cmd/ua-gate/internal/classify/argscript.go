package classify

import "strings"

// plainOnly is the rule for a program that hands its operand to a shell: more than a plain word
// may run anything.
func (a *argv) plainOnly() {
	for _, o := range a.operands {
		if strings.Trim(o.text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"+
			"abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
			a.p.raise(destructive, a.name, a.name+" may run what stands in "+show(o.text))
		}
	}
}

// callouts is the rule for a grep whose patterns may start programs: (?C"/bin/sh|-c|id").
func (a *argv) callouts() {
	for _, wd := range a.words {
		if strings.Contains(wd.text, "(?C") || wd.multi && wd.subst {
			a.p.raise(destructive, a.name, a.name+" may run the callouts in "+show(wd.text))
		}
	}
}

// plainNames is the rule for a program that shows what it has under a name, and loads the code of
// what is given as a path.
func (a *argv) plainNames() {
	for _, o := range a.operands {
		if strings.Contains(o.text, "/") || codeFile(o.text) {
			a.p.raise(destructive, a.name, a.name+" loads the code in "+show(o.text))
		}
	}
}

// bind is the rule for a key that is bound to keys: they are typed when it is pressed.
func (a *argv) bind() {
	for _, o := range a.operands {
		if _, typed, ok := strings.Cut(o.text, ":"); ok && strings.Contains(typed, `"`) {
			a.p.raise(destructive, "bind", "bind has a key type "+show(typed))
		}
	}
}
