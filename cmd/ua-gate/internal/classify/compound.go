package classify

import (
	"cmp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"ua/cmd/ua-gate/internal/expansion"
	"ua/cmd/ua-gate/internal/finding"
	"ua/cmd/ua-gate/internal/judgement"
	"ua/cmd/ua-gate/internal/match"
	"ua/cmd/ua-gate/internal/program"
	"ua/cmd/ua-gate/internal/shell"
	"ua/cmd/ua-gate/internal/table"
	"ua/internal/common/verdict"
)

// binary classifies what a pipe, && or || joins.
func (w *walker) binary(c *syntax.BinaryCmd, in shell.Stream, sc *shell.Scope,
	parts *[]finding.Part) shell.Stream {
	switch c.Op {
	case syntax.AndStmt:
		return w.chain(c, in, sc, parts)
	case syntax.OrStmt:
		stay := sc.Stay
		out := w.stmt(c.X, in, sc, parts)
		failed := sc.Stay
		sc.Maybe++
		out = out.With(w.stmt(c.Y, in, sc, parts))
		if sc.Maybe--; leavesShell(c.Y) {
			failed = stay
		}
		sc.Stay = failed
		return out
	}
	if w.hides(c.Y) {
		w.Captured++
		defer func() { w.Captured-- }()
	}
	out := w.stmt(c.X, in, sc.Beside(), parts)
	out.Open, out.Here = true, false
	return w.stmt(c.Y, out, sc.Beside(), parts)
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

// chain classifies what && joins: behind it, nothing in it but its beginning surely ran.
func (w *walker) chain(c *syntax.BinaryCmd, in shell.Stream, sc *shell.Scope,
	parts *[]finding.Part) shell.Stream {
	chain := andChain(c)
	stay, failed := sc.Stay, ""
	out := w.stmt(chain[0], in, sc, parts)
	before, written := sc.Sub(), len(w.Written)
	sc.Chain++
	for _, s := range chain[1:] {
		failed, sc.Stay = cmp.Or(failed, sc.Stay), stay // it runs only if the cd before has not failed
		out = out.With(w.stmt(s, in, sc, parts))
	}
	sc.Chain--
	sc.Stay = cmp.Or(sc.Stay, failed)
	for name, v := range sc.Vars {
		if old, was := before.Vars[name]; !was || old.Text != v.Text {
			v.Maybe, v.Others = true, shell.Another(v.Others, old.Text, v.Text)
			sc.Vars[name] = v
		}
	}
	for i := range w.Written[min(written, len(w.Written)):] {
		f := &w.Written[written+i]
		f.Sure = false
		f.Known = f.Known && w.InWorkspace(w.Place(f.File)) // or else it is the project's
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

func (w *walker) ifClause(c *syntax.IfClause, in shell.Stream, sc *shell.Scope,
	parts *[]finding.Part) (out shell.Stream) {
	sc.Maybe++
	defer func() { sc.Maybe-- }()
	stay := sc.Stay
	for ; c != nil; c = c.Else {
		out = out.With(w.stmts(c.Cond, in, sc, parts))
		failed := sc.Stay
		sc.Stay = stay // where a cd of the condition has not failed
		out = out.With(w.stmts(c.Then, in, sc, parts))
		sc.Stay = cmp.Or(failed, sc.Stay)
	}
	return out
}

func (w *walker) caseClause(c *syntax.CaseClause, in shell.Stream, sc *shell.Scope,
	parts *[]finding.Part) (out shell.Stream) {
	w.Inside(c.Word, sc, parts)
	sc.Maybe++
	defer func() { sc.Maybe-- }()
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			w.Inside(p, sc, parts)
		}
		out = out.With(w.stmts(item.Stmts, in, sc, parts))
	}
	return out
}

// whileClause judges while and until.
func (w *walker) whileClause(c *syntax.WhileClause, in shell.Stream, sc *shell.Scope,
	parts *[]finding.Part) shell.Stream {
	sc.Maybe++
	defer func() { sc.Maybe-- }()
	w.multiplies(c, c.Do, always(c), parts)
	var text strings.Builder
	if in.Bits&shell.FromSecret != 0 && syntax.NewPrinter().Print(&text, c) == nil &&
		program.SecretWord.Match(text.String()) {
		w.Fact(parts, c, judgement.ReadsSecrets, "env:secret", "a loop picks secret variables")
	}
	return w.looped(append(slices.Clip(c.Cond), c.Do...), in, sc, parts)
}

// looped judges the body of a loop, and once more if it may run what it has written.
func (w *walker) looped(body []*syntax.Stmt, in shell.Stream, sc *shell.Scope,
	parts *[]finding.Part) shell.Stream {
	written, from := len(w.Written), len(*parts)
	out := w.stmts(body, in, sc, parts)
	if len(w.Written) > written {
		var again []finding.Part
		w.stmts(body, in, sc, &again)
		if finding.Highest(again) > finding.Highest((*parts)[from:]) {
			*parts = append(*parts, again...)
		}
	}
	return out.With(in)
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

// maxUnrolled bounds how many rounds of loops are judged on their own.
const maxUnrolled = 48

// forClause judges the body of a loop once for each of its words if they are all known, and once
// for any word otherwise.
func (w *walker) forClause(c *syntax.ForClause, in shell.Stream, sc *shell.Scope,
	parts *[]finding.Part) shell.Stream {
	if c.Select {
		w.Unread(parts, c, "dialect:select", "a menu, which is not read")
		return shell.Stream{Open: true}
	}
	sc.Maybe++
	defer func() { sc.Maybe-- }()
	loop, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		w.Inside(c.Loop, sc, parts)
		w.multiplies(c, c.Do, c.Loop.(*syntax.CStyleLoop).Cond == nil, parts)
		return w.looped(c.Do, in, sc, parts)
	}
	name := loop.Name.Value
	rounds := w.items(loop, sc, parts)
	any := shell.Value{Text: match.Hole, Maybe: true, From: shell.FromAll(rounds)}
	all := len(rounds) > 0
	for i := range rounds {
		item := rounds[i]
		all = all && item.Plain() && !item.Multi && !item.Maybe
		any.Cmd = any.Cmd || item.Subst
		any.Others = shell.Another(any.Others, item.Text, match.Hole)
	}
	if w.unrolled += len(rounds); !all || w.unrolled > maxUnrolled {
		for _, texts := range sc.Others(loop) {
			for _, item := range w.items(loop, texts, &[]finding.Part{}) {
				any.Others = shell.Another(any.Others, item.Text, match.Hole)
			}
		}
		sc.Put(name, any)
		return w.looped(c.Do, in, sc, parts)
	}
	out := in
	for _, item := range rounds {
		sc.Put(name, shell.Value{Text: item.Text, From: item.From, Maybe: !sc.Script.Sure(name)})
		out = out.With(w.stmts(c.Do, in, sc, parts))
	}
	sc.Put(name, any) // it may have ended before its last word
	return out
}

// items returns the words that a loop goes over. What setting the loop's variable to them means
// goes to parts.
func (w *walker) items(loop *syntax.WordIter, sc *shell.Scope,
	parts *[]finding.Part) (items []shell.Word) {
	var p finding.Part
	w.Mark(&p, loop)
	for _, src := range loop.Items {
		braced := *src
		several := syntax.SplitBraces(&braced)
		for _, f := range w.Fields(nil, src, sc, parts) {
			f.Maybe = f.Maybe || several
			items = append(items, f)
		}
	}
	if all := sc.Vars["@"]; !loop.InPos.IsValid() { // the parameters
		items = append(items, shell.Word{Text: match.Hole, From: all.From})
		for _, text := range all.List {
			items = append(items, shell.Word{Text: text, From: all.From})
		}
	}
	for _, item := range items {
		w.JudgeSetting(&p, program.Setting{Name: loop.Name.Value, Val: item}, nil)
	}
	if p.Level > verdict.ReadOnly {
		*parts = append(*parts, p)
	}
	return items
}

// function judges the body of a function once, where it is defined: as if it ran there, with any
// arguments, among them the texts that its calls give it.
func (w *walker) function(c *syntax.FuncDecl, sc *shell.Scope, parts *[]finding.Part) {
	if w.Nested++; w.Nested > expansion.MaxNested {
		w.Nested--
		w.Unread(parts, nil, "limit:depth", "too many functions inside functions")
		return
	}
	defer func() { w.Nested-- }()
	name := "()" // zsh calls it where it stands
	if c.Name != nil {
		name = c.Name.Value
	} else if len(c.Names) > 0 {
		name = c.Names[0].Value
	}
	cwd, before, stay, given := sc.Cwd, sc.Before, sc.Stay, sc.Vars["@"]
	delete(sc.Vars, "@")
	if sc.Script != nil {
		var args []shell.Word
		for _, text := range sc.Script.Given(name) {
			args = append(args, shell.Lit(text))
		}
		sc.Array("@", args)
	}
	sc.Maybe++
	w.callsItself(c, name, parts)
	from := len(*parts)
	out := w.stmt(c.Body, shell.Stream{Bits: shell.FromPipe, Open: true}, sc, parts)
	sc.Maybe--
	f := program.Function{Out: out.Bits, Cwd: sc.Cwd, Moves: sc.Cwd != cwd}
	level := finding.Highest((*parts)[from:])
	f.Sends = level >= verdict.Network
	// The parser takes a pipe behind the body for a part of it, and the shell defines beside then.
	if _, piped := c.Body.Cmd.(*syntax.BinaryCmd); !piped && sc.Maybe+sc.Chain == 0 {
		f.Script = sc.Script
	}
	for _, n := range append(c.Names, c.Name) {
		if n != nil {
			w.Functions[n.Value] = &f
		}
	}
	if name == "()" {
		return
	}
	sc.Cwd, sc.Before, sc.Stay = cwd, before, stay
	sc.Put("@", given)
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
