package classify

import (
	"mvdan.cc/sh/v3/syntax"

	"ua/internal/common/verdict"
)

func (w *walker) forClause(c *syntax.ForClause, in stream, sc *scope, parts *[]Part) stream {
	assigns := w.unsettle(c, sc)
	sc.maybe++
	defer func() { sc.maybe-- }()
	switch loop := c.Loop.(type) {
	case *syntax.WordIter:
		items, all := w.items(loop, sc, parts)
		if all && w.unrolled+len(items) <= maxUnrolled {
			out := w.rounds(c, loop.Name.Value, items, in, sc, parts)
			if assigns && len(items) == 1 { // a pattern may stand for several
				out = out.with(w.onceMore(c.Do, in, sc, parts))
			}
			return out
		}
		v := value{text: hole}
		for _, item := range items {
			v.from |= item.from
			v.cmd = v.cmd || item.subst
			if item.plain() && !item.multi {
				v.older = append(v.older, item.text)
			}
		}
		v.older = append(v.older, w.olderIn(loop, sc)...)
		v.older = v.older[:min(len(v.older), maxOlder)]
		var known []word
		for _, text := range v.older {
			if text != hole && w.unrolled+len(known) < maxUnrolled {
				known = append(known, word{text: text, from: v.from})
			}
		}
		out := w.rounds(c, loop.Name.Value, known, in, sc, parts)
		sc.maybe--
		sc.set(loop.Name.Value, v)
		sc.maybe++
		out = out.with(w.stmts(c.Do, in, sc, parts)).with(in)
		if assigns {
			out = out.with(w.onceMore(c.Do, in, sc, parts))
		}
		return out
	case *syntax.CStyleLoop:
		w.inside(loop, sc, parts)
		if loop.Cond == nil {
			from := len(*parts)
			out := w.stmts(c.Do, in, sc, parts).with(in)
			w.forever(c, c.Do, sc, parts, from)
			return out
		}
	}
	out := w.stmts(c.Do, in, sc, parts).with(in)
	if assigns {
		out = out.with(w.onceMore(c.Do, in, sc, parts))
	}
	return out
}

// onceMore judges the body of a loop that assigns variables with what they hold after the first
// round. Inside a body that is judged once more, no other one is.
func (w *walker) onceMore(body []*syntax.Stmt, in stream, sc *scope, parts *[]Part) stream {
	if w.rerun > 0 {
		return stream{}
	}
	w.rerun++
	defer func() { w.rerun-- }()
	var more []Part
	out := w.stmts(body, in, sc, &more)
	for i := range more {
		if worst(&more[i]) > write {
			*parts = append(*parts, more[i])
		}
	}
	return out
}

// worst returns the highest level of a part and those in it.
func worst(p *Part) verdict.Level {
	level := p.Level
	for i := range p.Parts {
		level = max(level, worst(&p.Parts[i]))
	}
	return level
}

// items returns the words that a loop goes over, and whether they are all known. What
// setting the loop's variable to them means goes to parts.
func (w *walker) items(loop *syntax.WordIter, sc *scope, parts *[]Part) (items []word, all bool) {
	var p Part
	w.mark(&p, loop)
	all = loop.InPos.IsValid()
	for _, src := range loop.Items {
		braced := *src
		all = all && !syntax.SplitBraces(&braced)
		for _, f := range w.fields(src, sc, parts) {
			all = all && f.plain() && !f.multi && !f.maybe
			items = append(items, f)
			w.setting(&p, setting{loop.Name.Value, f}, nil)
		}
	}
	if p.Level > readOnly {
		*parts = append(*parts, p)
	}
	return items, all && len(items) > 0
}

// olderIn returns what the variables in the words of a loop may hold.
func (w *walker) olderIn(loop *syntax.WordIter, sc *scope) (older []string) {
	for _, src := range loop.Items {
		syntax.Walk(src, func(n syntax.Node) bool {
			if p, ok := n.(*syntax.ParamExp); ok && p.Param != nil {
				older = append(older, sc.vars[p.Param.Value].older...)
			}
			return true
		})
	}
	return older
}

// rounds judges the body of a loop over known words once for each.
func (w *walker) rounds(c *syntax.ForClause, name string, items []word, in stream, sc *scope,
	parts *[]Part) (out stream) {
	out = in
	for _, item := range items {
		w.unrolled++
		sc.maybe--
		sc.set(name, value{text: item.text, from: item.from, exact: true})
		sc.maybe++
		out = out.with(w.stmts(c.Do, in, sc, parts))
	}
	return out
}

// unsettle makes unknown what a loop's body assigns: the body sees the values
// of the round before. It reports whether there is something.
func (w *walker) unsettle(loop syntax.Node, sc *scope) (assigns bool) {
	syntax.Walk(loop, func(n syntax.Node) bool {
		if a, ok := n.(*syntax.Assign); ok && a.Name != nil {
			sc.forget(a.Name.Value, 0)
			assigns = true
		}
		return true
	})
	return assigns
}
