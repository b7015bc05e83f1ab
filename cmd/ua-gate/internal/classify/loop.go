package classify

import "mvdan.cc/sh/v3/syntax"

func (w *walker) forClause(c *syntax.ForClause, in stream, sc *scope, parts *[]Part) stream {
	w.unsettle(c, sc)
	sc.maybe++
	defer func() { sc.maybe-- }()
	switch loop := c.Loop.(type) {
	case *syntax.WordIter:
		items, all := w.items(loop, sc, parts)
		if all && w.unrolled+len(items) <= maxUnrolled {
			return w.rounds(c, loop.Name.Value, items, in, sc, parts)
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
		return out.with(w.stmts(c.Do, in, sc, parts)).with(in)
	case *syntax.CStyleLoop:
		w.inside(loop, sc, parts)
		if loop.Cond == nil {
			from := len(*parts)
			out := w.stmts(c.Do, in, sc, parts).with(in)
			w.forever(c, c.Do, sc, parts, from)
			return out
		}
	}
	return w.stmts(c.Do, in, sc, parts).with(in)
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
// of the round before.
func (w *walker) unsettle(loop syntax.Node, sc *scope) {
	syntax.Walk(loop, func(n syntax.Node) bool {
		if a, ok := n.(*syntax.Assign); ok && a.Name != nil {
			sc.forget(a.Name.Value, 0)
		}
		return true
	})
}
