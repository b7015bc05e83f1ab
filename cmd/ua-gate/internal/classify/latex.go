package classify

import "strings"

// latexmk runs Perl with -e and whatever -pdflatex= names.
func (a *argv) latexmk() {
	for _, u := range a.used {
		if (u.value == isAny || u.value == isGlued) && u.val.text != "" {
			a.p.raise(destructive, "latexmk "+u.name, "latexmk runs what "+u.name+" names")
		}
	}
}

// tex runs TeX from its operands as well as from files.
func (a *argv) tex() {
	for _, o := range a.operands {
		if strings.HasPrefix(o.text, `\`) {
			a.p.raise(destructive, a.name+" CODE", a.name+" runs "+show(o.text))
		}
	}
}
