package classify

import (
	"hash/maphash"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"ua/internal/common/verdict"
)

// whileClause judges while and until.
func (w *walker) whileClause(c *syntax.WhileClause, in stream, sc *scope, parts *[]Part) stream {
	sc.maybe++
	w.loops++
	defer func() { sc.maybe--; w.loops-- }()
	w.multiplies(c, c.Do, always(c), parts)
	var text strings.Builder
	if in.bits&fromSecret != 0 && syntax.NewPrinter().Print(&text, c) == nil &&
		secretWord.match(text.String()) {
		w.fact(parts, c, readsSecrets, "env:secret", "a loop picks secret variables")
	}
	return w.looped(c, sc, parts, func(parts *[]Part) stream {
		out := w.stmts(c.Cond, in, sc, parts)
		return out.with(w.stmts(c.Do, in, sc, parts)).with(in)
	})
}

// multiplies is the rule for a loop without end that leaves a process behind each time.
func (w *walker) multiplies(loop syntax.Node, body []*syntax.Stmt, endless bool, parts *[]Part) {
	for _, s := range body {
		sub, ok := s.Cmd.(*syntax.Subshell)
		if endless && (s.Background || ok && slices.ContainsFunc(sub.Stmts,
			func(s *syntax.Stmt) bool { return s.Background })) {
			w.fact(parts, loop, runsHidden, "limit:processes",
				"a loop without end starts processes").Held = true
		}
	}
}

// always reports whether the condition of a loop never ends it.
func always(c *syntax.WhileClause) bool {
	call, ok := c.Cond[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 || len(c.Cond) > 1 {
		return false
	}
	name := call.Args[0].Lit()
	return c.Until && name == "false" || !c.Until && (inList(" : true sleep ", name) ||
		name == "[" && len(call.Args) == 3)
}

// looped judges the body of a loop: with the values that the loop finds, with those that each
// round leaves to the next one, up to a few, and with any values of what it assigns. Of all but
// the last, which says what the body does, only parts of higher levels are kept.
func (w *walker) looped(c syntax.Node, sc *scope, parts *[]Part,
	body func(parts *[]Part) stream) (out stream) {
	var early []Part
	simple := w.simple
	w.looping++
	for range maxRounds >> (w.looping - 1) {
		before := sc.sub()
		if out = out.with(body(&early)); sc.same(before) || w.simple > MaxSimple {
			break
		}
	}
	w.looping--
	w.simple = simple
	w.unsettle(c, sc)
	from := len(*parts)
	out = out.with(body(parts))
	keepHigher(parts, from, early)
	return out
}

// keepHigher adds those of the early parts that are above all parts from that one on, or have a
// command that these have not.
func keepHigher(parts *[]Part, from int, early []Part) {
	if len(early) == 0 {
		return
	}
	most, known := readOnly, map[uint64]bool{}
	for i := range (*parts)[from:] {
		p := &(*parts)[from+i]
		most = max(most, p.level())
		p.commands(known)
	}
	for _, p := range early {
		if before := len(known); p.level() > most || p.commands(known) && len(known) > before {
			*parts = append(*parts, p)
		}
	}
}

// commands adds the commands of the part to those that are known, each by a hash of its words.
func (p *Part) commands(known map[uint64]bool) bool {
	if len(p.Words) > 0 {
		var h maphash.Hash
		h.SetSeed(commandSeed)
		for i := range p.Words {
			h.WriteString(p.Words[i].Text)
			h.WriteByte(0)
		}
		known[h.Sum64()] = true
	}
	for i := range p.Parts {
		p.Parts[i].commands(known)
	}
	return true
}

var commandSeed = maphash.MakeSeed()

// level returns the highest level of the part and those inside it.
func (p *Part) level() verdict.Level {
	most := p.Level
	for i := range p.Parts {
		most = max(most, p.Parts[i].level())
	}
	return most
}

func (w *walker) forClause(c *syntax.ForClause, in stream, sc *scope, parts *[]Part) stream {
	if c.Select {
		w.unread(parts, c, "dialect:select", "a menu, which is not read")
		return stream{open: true}
	}
	sc.maybe++
	w.loops++
	defer func() { sc.maybe--; w.loops-- }()
	switch loop := c.Loop.(type) {
	case *syntax.WordIter:
		items, all := w.items(loop, sc, parts)
		if all && w.unrolled+len(items) <= maxUnrolled {
			if !slices.ContainsFunc(items, func(item word) bool { return item.glob }) {
				return w.rounds(c, loop.Name.Value, items, in, sc, parts)
			}
			return w.looped(c, sc, parts, func(parts *[]Part) stream {
				return w.rounds(c, loop.Name.Value, items, in, sc, parts)
			})
		}
		// Too many items, or unknown ones: the body is judged with each that is known, then
		// once with a value that may be anything.
		v := value{text: hole}
		if !loop.InPos.IsValid() {
			v.from = sc.vars["@"].from
		}
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
		return out.with(w.looped(c, sc, parts, func(parts *[]Part) stream {
			sc.maybe--
			sc.set(loop.Name.Value, v)
			sc.maybe++
			return w.stmts(c.Do, in, sc, parts).with(in)
		}))
	case *syntax.CStyleLoop:
		w.inside(loop, sc, parts)
		w.multiplies(c, c.Do, loop.Cond == nil, parts)
	}
	return w.looped(c, sc, parts, func(parts *[]Part) stream {
		return w.stmts(c.Do, in, sc, parts).with(in)
	})
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
	if v := sc.vars["@"]; !loop.InPos.IsValid() && v.list != nil { // the parameters
		all = v.lists == nil
		for _, list := range append([][]string{v.list}, v.lists...) {
			for _, text := range list {
				items = append(items, word{text: text, from: v.from})
				w.setting(&p, setting{loop.Name.Value, lit(text)}, nil)
			}
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
	sc.leftAt(name, items)
	return out
}

// leftAt notes that a loop may have ended before its last word.
func (s *scope) leftAt(name string, items []word) {
	v := s.vars[name]
	for _, item := range items[:max(0, len(items)-1)] {
		if item.text != v.text && len(v.older) < maxOlder && !slices.Contains(v.older, item.text) {
			v.older = append(slices.Clone(v.older), item.text)
		}
	}
	if len(items) > 1 && !v.fixed {
		s.vars[name] = v
	}
}

// unsettle makes unknown what a loop's body assigns: the body sees the values
// of the round before.
func (w *walker) unsettle(loop syntax.Node, sc *scope) {
	syntax.Walk(loop, func(n syntax.Node) bool {
		if a, ok := n.(*syntax.Assign); ok && a.Name != nil {
			old, was := sc.vars[a.Name.Value]
			sc.forget(a.Name.Value, 0)
			if v := sc.vars[a.Name.Value]; was && old.text != hole && old.list == nil &&
				!slices.Contains(v.older, old.text) && len(v.older) < maxOlder {
				v.older = append(slices.Clone(v.older), old.text)
				sc.vars[a.Name.Value] = v
			}
		}
		return true
	})
}
