package classify

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// whileClause judges while and until.
func (w *walker) whileClause(c *syntax.WhileClause, in stream, sc *scope, parts *[]Part) stream {
	sc.maybe++
	defer func() { sc.maybe-- }()
	w.multiplies(c, c.Do, always(c), parts)
	var text strings.Builder
	if in.bits&fromSecret != 0 && syntax.NewPrinter().Print(&text, c) == nil &&
		secretWord.match(text.String()) {
		w.fact(parts, c, readsSecrets, "env:secret", "a loop picks secret variables")
	}
	return w.looped(append(slices.Clip(c.Cond), c.Do...), in, sc, parts)
}

// looped judges the body of a loop, and once more if it may run what it has written.
func (w *walker) looped(body []*syntax.Stmt, in stream, sc *scope, parts *[]Part) stream {
	written, from := len(w.written), len(*parts)
	out := w.stmts(body, in, sc, parts)
	if len(w.written) > written {
		var again []Part
		w.stmts(body, in, sc, &again)
		if highest(again) > highest((*parts)[from:]) {
			*parts = append(*parts, again...)
		}
	}
	return out.with(in)
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

// maxUnrolled bounds how many rounds of loops are judged on their own.
const maxUnrolled = 48

// forClause judges the body of a loop once for each of its words if they are all known, and once
// for any word otherwise.
func (w *walker) forClause(c *syntax.ForClause, in stream, sc *scope, parts *[]Part) stream {
	if c.Select {
		w.unread(parts, c, "dialect:select", "a menu, which is not read")
		return stream{open: true}
	}
	sc.maybe++
	defer func() { sc.maybe-- }()
	loop, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		w.inside(c.Loop, sc, parts)
		w.multiplies(c, c.Do, c.Loop.(*syntax.CStyleLoop).Cond == nil, parts)
		return w.looped(c.Do, in, sc, parts)
	}
	name := loop.Name.Value
	rounds := w.items(loop, sc, parts)
	any := value{text: hole, maybe: true, from: fromAll(rounds)}
	all := len(rounds) > 0
	for i := range rounds {
		item := rounds[i]
		all = all && item.plain() && !item.multi && !item.maybe
		any.cmd = any.cmd || item.subst
		any.others = another(any.others, item.text, hole)
	}
	if w.unrolled += len(rounds); !all || w.unrolled > maxUnrolled {
		for _, texts := range sc.others(loop) {
			for _, item := range w.items(loop, texts, &[]Part{}) {
				any.others = another(any.others, item.text, hole)
			}
		}
		sc.put(name, any)
		return w.looped(c.Do, in, sc, parts)
	}
	out := in
	for _, item := range rounds {
		sc.put(name, value{text: item.text, from: item.from, maybe: !sc.script.sure(name)})
		out = out.with(w.stmts(c.Do, in, sc, parts))
	}
	sc.put(name, any) // it may have ended before its last word
	return out
}

// items returns the words that a loop goes over. What setting the loop's variable to them means
// goes to parts.
func (w *walker) items(loop *syntax.WordIter, sc *scope, parts *[]Part) (items []word) {
	var p Part
	w.mark(&p, loop)
	for _, src := range loop.Items {
		braced := *src
		several := syntax.SplitBraces(&braced)
		for _, f := range w.fields(nil, src, sc, parts) {
			f.maybe = f.maybe || several
			items = append(items, f)
		}
	}
	if all := sc.vars["@"]; !loop.InPos.IsValid() { // the parameters
		items = append(items, word{text: hole, from: all.from})
		for _, text := range all.list {
			items = append(items, word{text: text, from: all.from})
		}
	}
	for _, item := range items {
		w.setting(&p, setting{loop.Name.Value, item}, nil)
	}
	if p.Level > readOnly {
		*parts = append(*parts, p)
	}
	return items
}
