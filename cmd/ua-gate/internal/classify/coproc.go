package classify

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// misreadCoproc reports whether the shell runs other commands in a coprocess than the parser
// says. A word behind "coproc" is a name before a compound command alone; before all else it
// is the command (bash(1), Coprocesses), which the parser knows before a plain command that is
// in no pipeline. It also takes the descriptor of a redirection for a command, and a word with
// "=" behind the command for an assignment.
func misreadCoproc(c *syntax.CoprocClause, text string) bool {
	s := c.Stmt
	for s.Cmd != nil { // the coprocess is a pipeline's first command
		pipe, ok := s.Cmd.(*syntax.BinaryCmd)
		if !ok {
			break
		}
		s = pipe.X
	}
	call, simple := s.Cmd.(*syntax.CallExpr)
	if c.Name != nil {
		return !compound(s.Cmd)
	}
	return s.Cmd == nil || simple && (len(s.Redirs) > 0 || len(call.Assigns) > 0 ||
		strings.Contains(text[call.Pos().Offset():call.End().Offset()], "="))
}

// compound reports whether the command is a compound one, in which functions are none.
func compound(c syntax.Command) bool {
	switch c.(type) {
	case *syntax.Block, *syntax.Subshell, *syntax.IfClause, *syntax.WhileClause,
		*syntax.ForClause, *syntax.CaseClause, *syntax.TestClause, *syntax.ArithmCmd:
		return true
	}
	return false
}

func (w *walker) coproc(c *syntax.CoprocClause, sc *scope, parts *[]Part) {
	name := "COPROC"
	if c.Name != nil { // a list of its descriptors
		name = c.Name.Lit()
		var p Part
		w.mark(&p, c.Name)
		if w.fills(&p, w.single(c.Name, sc, parts).text); p.Level > readOnly {
			*parts = append(*parts, p)
		}
	}
	// The shell looks for an alias in the word behind the first, too: it may say a compound
	// command, before which the first is a name.
	if call, ok := c.Stmt.Cmd.(*syntax.CallExpr); ok && len(call.Args) > 1 &&
		sc.aliases[call.Args[1].Lit()] != "" {
		p := Part{Unread: true}
		w.mark(&p, call.Args[1])
		p.raise(destructive, "alias", "an alias in the word behind "+call.Args[0].Lit())
		*parts = append(*parts, p)
	}
	w.coprocs = append(w.coprocs, name)
	// It reads what the command writes to it later.
	w.stmt(c.Stmt, stream{bits: fromPipe, open: true}, sc.sub(), parts)
}
