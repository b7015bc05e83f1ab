package classify

import (
	"mvdan.cc/sh/v3/syntax"

	"ua/cmd/ua-gate/internal/judgement"
)

// An expander makes words of what a script says, as the shell expands it.
type expander struct {
	session
	commands func(list []*syntax.Stmt, sc *scope, parts *[]Part) stream // judges what $(…) holds
	// the text that positions refer to; "" inside other texts
	source string
	// expansions and compound commands inside each other
	nested int
}

// fact adds a part that is no simple command.
func (w *expander) fact(parts *[]Part, at syntax.Node, act judgement.Act, row,
	reason string) *Part {
	var p Part
	p.add(act, row, reason)
	w.mark(&p, at)
	*parts = append(*parts, p)
	return &(*parts)[len(*parts)-1]
}

// unread adds a part that stands for commands which nobody has read.
func (w *expander) unread(parts *[]Part, at syntax.Node, row, reason string) {
	w.fact(parts, at, runsHidden, row, reason).Unread = true
}

// mark notes where in the command as written the part stands.
func (w *expander) mark(p *Part, at syntax.Node) {
	if at == nil || w.source == "" {
		return
	}
	from, to := at.Pos(), at.End()
	p.Line, p.Col = int(from.Line()), int(from.Col())
	if i, j := int(from.Offset()), int(to.Offset()); i < j && j <= len(w.source) {
		p.Text = w.source[i:j]
	}
}
