package classify

import "strings"

// applyPatch reads the patch that agents hand to a tool of that name: a line for each file
// says what happens to it.
func (a *argv) applyPatch() {
	text, known := a.in.text, a.in.known
	if len(a.operands) == 1 && a.operands[0].plain() {
		text, known = a.operands[0].text, true
	}
	if !known || !strings.Contains(text, "*** Begin Patch") {
		a.p.raise(destructive, a.name, a.name+" changes files that are not known")
		return
	}
	for line := range strings.Lines(text) {
		verb, file, ok := strings.Cut(strings.TrimSpace(line), " File: ")
		if to, moves := strings.CutPrefix(verb, "*** Move to: "); moves {
			verb, file, ok = "*** Add", to, true
		}
		switch {
		case !ok:
		case verb == "*** Delete":
			a.effect(isDelete, lit(file), verb)
		case verb == "*** Add" || verb == "*** Update":
			a.effect(isWrite, lit(file), verb)
		}
	}
}
