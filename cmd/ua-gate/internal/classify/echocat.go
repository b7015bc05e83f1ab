package classify

import "strings"

// echo is echo and printf: what they write is known if their words are.
func (a *argv) echo() {
	a.printed, a.known = printed(a.name, a.w.shell(), a.words)
	// Most of sh, other than bash, decode \0NNN and \c without -e.
	if a.name == "echo" && a.w.depth > 1 && (strings.Contains(a.printed, `\0`) ||
		strings.Contains(a.printed, `\c`)) {
		a.known = false
	}
	for _, wd := range a.words {
		a.out |= wd.from &^ passing
		a.lists(wd)
	}
	if strings.Contains(a.printed, hole) { // names that xargs -0 or the like reads
		a.printed, a.known = strings.ReplaceAll(a.printed, hole, "\n"), false
	}
	if a.name == "printf" {
		a.printInto()
	}
}

// cat passes its input on, if it has no other, or what the command has written into its file.
func (a *argv) cat() {
	switch {
	case len(a.operands) == 1 && a.operands[0].text == "/dev/null":
		a.known = true
	case len(a.used) > 0 || len(a.operands) > 1:
	case len(a.operands) == 1 && a.operands[0].text != "-":
		a.printed, a.known = a.w.textOf(a.operands[0], a.sc)
	case a.in.known:
		a.printed, a.known = a.in.text, true
	}
}
