package classify

import "strings"

// through looks at the words of a tool that builds or tests: behind exec, and
// behind --, may stand a command of its own.
func (a *argv) through() {
	if a.row.level != buildTest || a.rest != nil {
		return
	}
	for i, o := range a.operands {
		if strings.HasPrefix(o.text, "eval ") {
			a.p.add(runsHidden, a.name+" eval", a.name+" runs "+show(o.text))
		}
		if strings.Contains(" exec cmd x execute shell ", " "+o.text+" ") || i+1 == a.dashed {
			a.command(a.operands[i+1:])
		}
	}
	last := a.name[strings.LastIndexByte(a.name, ' ')+1:]
	if a.dashed == 0 || strings.Contains(" exec cmd x execute shell ", " "+last+" ") {
		a.command(a.operands)
	}
}

// command judges words as a command if the table knows their program: another is
// the project's own.
func (a *argv) command(words []word) {
	if len(words) == 0 || strings.HasSuffix(a.name, " run") { // words of the project's own program
		return
	}
	if r, _ := a.w.program(words[0].text); r != nil && r.level > buildTest ||
		words[0].text == "sh" || words[0].text == "bash" {
		a.out |= a.w.run(words, a.in, a.sc.sub(), &a.p.Parts).bits
	}
}
