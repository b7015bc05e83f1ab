package classify

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"ua/cmd/ua-gate/internal/expansion"
	"ua/cmd/ua-gate/internal/finding"
	"ua/cmd/ua-gate/internal/judgement"
	"ua/cmd/ua-gate/internal/machine"
	"ua/cmd/ua-gate/internal/match"
	"ua/cmd/ua-gate/internal/program"
	"ua/cmd/ua-gate/internal/shell"
	"ua/internal/common/verdict"
)

func (w *walker) stmts(list []*syntax.Stmt, in shell.Stream, sc *shell.Scope,
	parts *[]finding.Part) (out shell.Stream) {
	for i, s := range list {
		o := w.stmt(s, in, sc, parts)
		if i == 0 {
			out = o
		} else {
			out = out.With(o)
		}
	}
	return out
}

// List classifies a list of commands whose output becomes text elsewhere.
func (w *walker) List(list []*syntax.Stmt, sc *shell.Scope, parts *[]finding.Part) shell.Stream {
	if w.Depth++; w.Depth > program.MaxDepth {
		w.Depth--
		w.Unread(parts, nil, "limit:depth", fmt.Sprintf("more than %d commands inside commands",
			program.MaxDepth))
		return shell.Stream{Bits: shell.FromPipe, Open: true}
	}
	defer func() { w.Depth-- }()
	return w.stmts(list, shell.Stream{}, sc.Beside(), parts)
}

// stmt classifies one statement: its redirections, then the command. It gives
// back what its output carries.
func (w *walker) stmt(s *syntax.Stmt, in shell.Stream, sc *shell.Scope,
	parts *[]finding.Part) shell.Stream {
	if w.Simple > machine.MaxSimple {
		return shell.Stream{Open: true}
	}
	var redirs []finding.Part
	io := stdio{in: in}
	before := len(w.Written)
	for _, r := range s.Redirs {
		w.redirect(r, &io, sc, &redirs)
	}
	if s.Background {
		sc = sc.Beside()
	}
	out := io.in
	if call, ok := s.Cmd.(*syntax.CallExpr); ok {
		// It does not find in a file what its redirection makes anew.
		made := slices.Clone(w.Written[before:])
		w.Written = w.Written[:before]
		out = w.call(call, &io, sc, parts)
		w.Written = append(w.Written, made...)
		if len(w.Written) == before+1 {
			w.keepText(s, out, len(made) == 1, sc)
		}
	} else if s.Cmd != nil {
		out = w.compound(s.Cmd, io.in, sc, parts)
	}
	empties := out.Known && strings.TrimSpace(out.Text) == ""
	if call, ok := s.Cmd.(*syntax.CallExpr); s.Cmd == nil || ok && len(call.Args) == 1 &&
		match.InList(" : true ", call.Args[0].Lit()) || empties {
		w.emptied(s, io.lost, &redirs)
	}
	// What was written meanwhile holds what came out: secrets, or what was fetched.
	for i := range w.Written[before:] {
		w.Written[before+i].From |= out.Bits & (shell.FromSecret | shell.FromNet)
	}
	if io.net && out.Bits&shell.FromSecret != 0 {
		w.Fact(parts, s, judgement.SendsSecrets, "pipe:secret", "a secret goes to the network")
	}
	if io.tty && (!out.Known || strings.Contains(out.Text, "\x1b]")) {
		w.Fact(parts, s, judgement.RunsHidden, "limit:control",
			"may send control sequences to the terminal")
	}
	*parts = append(*parts, redirs...)
	if io.out {
		return shell.Stream{Bits: out.Bits, Open: true}
	}
	return out
}

// compound classifies what is not a simple command.
func (w *walker) compound(cmd syntax.Command, in shell.Stream, sc *shell.Scope,
	parts *[]finding.Part) shell.Stream {
	if w.Nested++; w.Nested > expansion.MaxNested {
		w.Nested--
		w.Unread(parts, nil, "limit:depth", "too many commands inside commands")
		return shell.Stream{Open: true}
	}
	defer func() { w.Nested-- }()
	switch c := cmd.(type) {
	case *syntax.BinaryCmd:
		return w.binary(c, in, sc, parts)
	case *syntax.Block:
		return w.stmts(c.Stmts, in, sc, parts)
	case *syntax.Subshell:
		stdin := w.Stdin
		w.Stdin = false
		defer func() { w.Stdin = stdin }()
		return w.stmts(c.Stmts, in, sc.Beside(), parts)
	case *syntax.IfClause:
		return w.ifClause(c, in, sc, parts)
	case *syntax.WhileClause:
		return w.whileClause(c, in, sc, parts)
	case *syntax.ForClause:
		return w.forClause(c, in, sc, parts)
	case *syntax.CaseClause:
		return w.caseClause(c, in, sc, parts)
	case *syntax.FuncDecl:
		w.function(c, sc, parts)
	case *syntax.DeclClause:
		return shell.Stream{Bits: w.Declare(c, sc, parts), Open: true}
	case *syntax.TimeClause:
		if c.Stmt != nil {
			return w.stmt(c.Stmt, in, sc, parts)
		}
	case *syntax.CoprocClause:
		w.Unread(parts, c, "dialect:coproc", "a coprocess, which is not read")
		return shell.Stream{Open: true}
	case *syntax.TestDecl:
		return w.stmt(c.Body, in, sc.Sub(), parts)
	default: // [[ ]], (( )), let
		w.Inside(cmd, sc, parts)
	}
	return shell.Stream{}
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

// maxUnrolled bounds how many rounds of loops are judged on their own.
const maxUnrolled = 48

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
			w.Define(n.Value, &f)
		}
	}
	if name == "()" {
		return
	}
	sc.Cwd, sc.Before, sc.Stay = cwd, before, stay
	sc.Put("@", given)
}
