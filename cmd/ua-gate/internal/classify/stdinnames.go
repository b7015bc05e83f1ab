package classify

import "strings"

// stdinNames is a program that reads the names of its files from its input.
func (a *argv) stdinNames() {
	if a.in.bits&fromNames != 0 {
		a.p.raise(destructive, "path:secret",
			a.name+" reads secrets by the names that another command gives")
	}
	for line := range strings.Lines(a.in.text) {
		a.reads(lit(strings.TrimSpace(line)))
	}
}
