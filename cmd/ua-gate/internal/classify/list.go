package classify

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// binary classifies what a pipe, && or || joins.
func (w *walker) binary(c *syntax.BinaryCmd, in stream, sc *scope, parts *[]Part) stream {
	if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
		w.forks++
		defer func() { w.forks-- }()
		hands := handsOver(c.Y)
		if hands {
			w.captured++
		}
		out := w.stmt(c.X, in, sc.sub(), parts)
		if hands {
			w.captured--
		}
		out.open, out.here = true, false
		inner := sc.sub()
		out = w.stmt(c.Y, out, inner, parts)
		if w.lastpipe || w.shell() == "zsh" { // which run it in the shell itself
			for name, v := range inner.vars {
				if !v.same(sc.vars[name]) {
					sc.forget(name, v.from)
				}
			}
		}
		return out
	}
	if c.Op == syntax.OrStmt {
		out := w.stmt(c.X, in, sc, parts)
		sc.maybe++
		defer func() { sc.maybe-- }()
		return out.with(w.stmt(c.Y, in, sc, parts))
	}
	chain := andChain(c)
	out := w.stmt(chain[0], in, sc, parts)
	before, known := maps.Clone(sc.vars), slices.Clone(w.texts)
	for i, s := range chain[1:] {
		written := len(w.written)
		w.chained++
		out = out.with(w.stmt(s, in, sc, parts))
		w.chained--
		for _, t := range w.texts {
			if !slices.Contains(known, t) && !slices.Contains(w.written[:written], t.file) &&
				w.standsAnyway(t.file, chain[:i+1], sc) {
				known = append(known, t)
			}
		}
	}
	sc.join(before) // what comes after && may not have run
	w.texts = slices.DeleteFunc(w.texts, func(t fileText) bool { return !slices.Contains(known, t) })
	return out
}

// surely reports whether the statement runs exactly once, and makes anew what it writes to.
func (w *walker) surely(s *syntax.Stmt, sc *scope) bool {
	return !s.Background && sc.maybe+w.forks+w.chained+w.looping+len(w.calling) == 0 &&
		!slices.ContainsFunc(s.Redirs, func(r *syntax.Redirect) bool {
			return r.Op == syntax.AppOut || r.Op == syntax.AppAll || r.Op == syntax.RdrInOut
		})
}

// andChain returns the statements that && joins.
func andChain(c *syntax.BinaryCmd) (chain []*syntax.Stmt) {
	first := c.X
	if x, ok := first.Cmd.(*syntax.BinaryCmd); ok && x.Op == syntax.AndStmt &&
		len(first.Redirs) == 0 && !first.Background {
		chain = andChain(x)
	} else {
		chain = append(chain, first)
	}
	return append(chain, c.Y)
}

// standsAnyway reports whether what a command behind && has written may be taken for what is in
// the file, though a command before it may have failed: in the workspace the file is the
// project's then, and elsewhere it is not there, since the folder that it would lie in is not,
// or is one that mktemp has just made.
func (w *walker) standsAnyway(file string, before []*syntax.Stmt, sc *scope) bool {
	own := w.inWorkspace(w.place(file))
	return !slices.ContainsFunc(before, func(s *syntax.Stmt) bool {
		call, ok := s.Cmd.(*syntax.CallExpr)
		if !ok || s.Negated || s.Background || s.Coprocess {
			return true
		}
		if len(call.Args) == 0 {
			return !own && !strings.Contains(file, hole)
		}
		name := call.Args[0].Lit()
		if sc.funcs[name] != nil || sc.aliases[name] != "" {
			return true
		}
		// If one of these fails, the file is as it was: the project's, or not there.
		if own || strings.Contains(file, hole) {
			return !inList(" mkdir cd touch cat echo printf set export trap chmod cp mv rm git true : ",
				name)
		}
		if len(s.Redirs) > 0 || len(call.Assigns) > 0 {
			return true
		}
		if name == "mkdir" && len(call.Args) == 3 && call.Args[1].Lit() == "-p" ||
			(name == "cd" || name == "mkdir") && len(call.Args) == 2 {
			dir := call.Args[len(call.Args)-1].Lit()
			at := w.at(dir, sc)
			return !strings.HasPrefix(dir, "/") ||
				!w.place(file).within(at.abs)
		}
		return !inList(" set export echo trap true : ", name)
	})
}
