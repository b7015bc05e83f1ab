package classify

import (
	"path"
	"slices"
	"strings"
)

// commandLine judges a text that the table does not account for as a command if it begins with
// a program that loses something or runs what it is given. It reports whether it does.
func (a *argv) commandLine(label, text string) bool {
	words := strings.Fields(strings.TrimLeft(text, "@ "))
	if len(words) < 2 || !slices.ContainsFunc(words[1:], func(t string) bool {
		return t[0] != '-' || t == "-c" || t == "-e"
	}) {
		return false
	}
	r := a.w.row(path.Base(words[0]))
	if r == nil || r.level <= write && r.facts&(factScript|factCode) == 0 ||
		a.row.facts&factText != 0 {
		return false
	}
	a.script(label, lit(text), stream{})
	return true
}

// defines is the rule for NAME=VALUE that a build tool gets, which may be a command.
func (a *argv) defines(label string, val word) {
	key, text, _ := strings.Cut(val.text, "=")
	switch {
	case substitutes(text) || strings.Contains(text, "$("):
		a.p.add(runsHidden, label, label+" "+show(key)+" runs "+show(text))
	case !a.commandLine(label, text) && strings.HasPrefix(text, "/") && a.w.foreignPlace(text, a.sc):
		a.p.add(runsUnread, label, label+" "+show(key)+" may run what is in "+show(text))
	}
}
