// Package expansion makes words of what stands in a script, as the shell expands it: variables,
// braces, quotes, assignments. The commands in a $(…) are handed to whoever reads the whole.
package expansion

import (
	"mvdan.cc/sh/v3/syntax"

	"ua/cmd/ua-gate/internal/finding"
	"ua/cmd/ua-gate/internal/judgement"
	"ua/cmd/ua-gate/internal/program"
	"ua/cmd/ua-gate/internal/shell"
)

// A Lister judges a list of commands whose output becomes text elsewhere, as that of $(…) does.
type Lister interface {
	List(commands []*syntax.Stmt, sc *shell.Scope, parts *[]finding.Part) shell.Stream
}

// An Expander makes words of what a script says, as the shell expands it.
type Expander struct {
	program.Session
	Lister
	Source   string // the text that positions refer to; "" inside other texts
	Nested   int    // expansions and compound commands inside each other
	Expanded int    // the bytes of values so far
}

// Fact adds a part that is no simple command.
func (x *Expander) Fact(parts *[]finding.Part, at syntax.Node, act judgement.Act, row,
	reason string) *finding.Part {
	var p finding.Part
	p.Add(act, row, reason)
	x.Mark(&p, at)
	*parts = append(*parts, p)
	return &(*parts)[len(*parts)-1]
}

// Unread adds a part that stands for commands which nobody has read.
func (x *Expander) Unread(parts *[]finding.Part, at syntax.Node, row, reason string) {
	x.Fact(parts, at, judgement.RunsHidden, row, reason).Unread = true
}

// Mark notes where in the command as written the part stands.
func (x *Expander) Mark(p *finding.Part, at syntax.Node) {
	if at == nil || x.Source == "" {
		return
	}
	from, to := at.Pos(), at.End()
	p.Line, p.Col = int(from.Line()), int(from.Col())
	if i, j := int(from.Offset()), int(to.Offset()); i < j && j <= len(x.Source) {
		p.Text = x.Source[i:j]
	}
}

// MaxNested bounds expansions inside expansions and compound commands inside each other.
const MaxNested = 50
