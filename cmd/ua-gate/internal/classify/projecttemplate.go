package classify

import "strings"

// template makes a project of a template, which runs code of its own: one of the workspace is
// the project's, and another is fetched.
func (a *argv) template() {
	if len(a.operands) == 0 || a.fixed {
		return
	}
	source := a.operands[0]
	if strings.ContainsAny(source.text, ":@") || !source.plain() ||
		strings.HasSuffix(source.text, ".git") {
		a.p.raise(network, a.name, a.name+" fetches the template "+show(source.text))
		return
	}
	a.plug(a.name, source)
	a.base = write
}
