package classify

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"ua/cmd/ua-gate/internal/finding"
	"ua/cmd/ua-gate/internal/judgement"
	"ua/cmd/ua-gate/internal/match"
	"ua/cmd/ua-gate/internal/shell"
	"ua/cmd/ua-gate/internal/table"
)

// leavesShell reports whether a statement ends with a command behind which nothing runs.
func leavesShell(s *syntax.Stmt) bool {
	switch c := s.Cmd.(type) {
	case *syntax.Block:
		return len(c.Stmts) > 0 && leavesShell(c.Stmts[len(c.Stmts)-1])
	case *syntax.CallExpr:
		return len(c.Args) > 0 && match.InList(" exit return break continue exec ", c.Args[0].Lit())
	}
	return false
}

// andChain returns the statements that && joins.
func andChain(c *syntax.BinaryCmd) (chain []*syntax.Stmt) {
	first := c.X
	if x, ok := first.Cmd.(*syntax.BinaryCmd); ok && x.Op == syntax.AndStmt &&
		len(first.Redirs) == 0 && !first.Background {
		return append(andChain(x), c.Y)
	}
	return []*syntax.Stmt{first, c.Y}
}

// always reports whether the condition of a loop never ends it.
func always(c *syntax.WhileClause) bool {
	call, ok := c.Cond[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 || len(c.Cond) > 1 {
		return false
	}
	name := call.Args[0].Lit()
	return c.Until && name == "false" || !c.Until && (match.InList(" : true sleep ", name) ||
		name == "[" && len(call.Args) == 3)
}

// anew reports whether a statement surely runs, and makes anew what it writes to.
func anew(s *syntax.Stmt, sc *shell.Scope) bool {
	return sc.Maybe == 0 && !slices.ContainsFunc(s.Redirs, func(r *syntax.Redirect) bool {
		return r.Op == syntax.AppOut || r.Op == syntax.AppAll || r.Op == syntax.RdrInOut
	})
}

// hides reports whether the program behind a pipe shows of what it reads only a size or a digest.
func (w *walker) hides(s *syntax.Stmt) bool {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return false
	}
	r := w.Row(call.Args[0].Lit())
	return r != nil && r.Facts&table.FactHides != 0
}

// multiplies is the rule for a loop without end that leaves a process behind each time.
func (w *walker) multiplies(loop syntax.Node, body []*syntax.Stmt, endless bool,
	parts *[]finding.Part) {
	for _, s := range body {
		sub, ok := s.Cmd.(*syntax.Subshell)
		if endless && (s.Background || ok && slices.ContainsFunc(sub.Stmts,
			func(s *syntax.Stmt) bool { return s.Background })) {
			w.Fact(parts, loop, judgement.RunsHidden, "limit:processes",
				"a loop without end starts processes").Held = true
		}
	}
}

// callsItself is the rule for a function that starts itself beside itself, which fills the machine
// if it does so twice.
func (w *walker) callsItself(c *syntax.FuncDecl, name string, parts *[]finding.Part) {
	calls, beside := 0, false
	syntax.Walk(c.Body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			if len(n.Args) > 0 && n.Args[0].Lit() == name {
				calls++
			}
		case *syntax.Stmt:
			beside = beside || n.Background
		case *syntax.BinaryCmd:
			beside = beside || n.Op == syntax.Pipe || n.Op == syntax.PipeAll
		}
		return true
	})
	switch {
	case calls > 1 && beside:
		w.Fact(parts, nil, judgement.Never, "function:itself", name+" calls itself")
	case calls > 0 && beside:
		w.Fact(parts, nil, judgement.RunsHidden, "function:itself", name+" calls itself")
	}
}
