package classify

import (
	"cmp"
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// binary classifies what a pipe, && or || joins.
func (w *walker) binary(c *syntax.BinaryCmd, in stream, sc *scope, parts *[]Part) stream {
	switch c.Op {
	case syntax.AndStmt:
		return w.chain(c, in, sc, parts)
	case syntax.OrStmt:
		stay := sc.stay
		out := w.stmt(c.X, in, sc, parts)
		failed := sc.stay
		sc.maybe++
		out = out.with(w.stmt(c.Y, in, sc, parts))
		if sc.maybe--; leavesShell(c.Y) {
			failed = stay
		}
		sc.stay = failed
		return out
	}
	if w.hides(c.Y) {
		w.captured++
		defer func() { w.captured-- }()
	}
	out := w.stmt(c.X, in, sc.beside(), parts)
	out.open, out.here = true, false
	return w.stmt(c.Y, out, sc.beside(), parts)
}

// hides reports whether the program behind a pipe shows of what it reads only a size or a digest.
func (w *walker) hides(s *syntax.Stmt) bool {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return false
	}
	r := w.row(call.Args[0].Lit())
	return r != nil && r.facts&factHides != 0
}

// leavesShell reports whether a statement ends with a command behind which nothing runs.
func leavesShell(s *syntax.Stmt) bool {
	switch c := s.Cmd.(type) {
	case *syntax.Block:
		return len(c.Stmts) > 0 && leavesShell(c.Stmts[len(c.Stmts)-1])
	case *syntax.CallExpr:
		return len(c.Args) > 0 && inList(" exit return break continue exec ", c.Args[0].Lit())
	}
	return false
}

// chain classifies what && joins: behind it, nothing in it but its beginning surely ran.
func (w *walker) chain(c *syntax.BinaryCmd, in stream, sc *scope, parts *[]Part) stream {
	chain := andChain(c)
	stay, failed := sc.stay, ""
	out := w.stmt(chain[0], in, sc, parts)
	before, written := sc.sub(), len(w.written)
	sc.chain++
	for _, s := range chain[1:] {
		failed, sc.stay = cmp.Or(failed, sc.stay), stay // it runs only if the cd before has not failed
		out = out.with(w.stmt(s, in, sc, parts))
	}
	sc.chain--
	sc.stay = cmp.Or(sc.stay, failed)
	for name, v := range sc.vars {
		if old, was := before.vars[name]; !was || old.text != v.text {
			v.maybe, v.others = true, another(v.others, old.text, v.text)
			sc.vars[name] = v
		}
	}
	for i := range w.written[min(written, len(w.written)):] {
		f := &w.written[written+i]
		f.sure = false
		f.known = f.known && w.inWorkspace(w.place(f.file)) // or else it is the project's
	}
	return out
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

// anew reports whether a statement surely runs, and makes anew what it writes to.
func anew(s *syntax.Stmt, sc *scope) bool {
	return sc.maybe == 0 && !slices.ContainsFunc(s.Redirs, func(r *syntax.Redirect) bool {
		return r.Op == syntax.AppOut || r.Op == syntax.AppAll || r.Op == syntax.RdrInOut
	})
}
