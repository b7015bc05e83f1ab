package classify

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"ua/cmd/ua-gate/internal/finding"
	"ua/cmd/ua-gate/internal/judgement"
	"ua/cmd/ua-gate/internal/program"
	"ua/cmd/ua-gate/internal/shell"
	"ua/internal/common/verdict"
)

// call classifies a simple command as written: its assignments, its words, what
// runs inside them, and what it does.
func (w *walker) call(c *syntax.CallExpr, io *stdio, sc *shell.Scope,
	parts *[]finding.Part) shell.Stream {
	if len(c.Args) == 0 {
		return w.assignments(c, sc, parts)
	}
	*parts = append(*parts, finding.Part{})
	p := &(*parts)[len(*parts)-1] // until the next one is appended
	w.Mark(p, c)
	words := make([]shell.Word, 0, len(c.Args))
	for _, arg := range c.Args {
		words = w.Fields(words, arg, sc, &p.Parts)
	}
	inner := sc
	var env []program.Setting
	if len(c.Assigns) > 0 {
		// The variables of a builtin or a function may stay.
		if len(words) == 0 || !w.ChangesShell(words[0].Text) && w.Functions[words[0].Text] == nil {
			inner = sc.Sub()
		}
		for _, a := range c.Assigns {
			v := w.Assign(a, inner, p)
			if a.Name != nil {
				env = append(env, program.Setting{Name: a.Name.Value, Val: v})
			}
		}
	}
	var out shell.Stream
	if f := w.FunctionAt(words, sc); f != nil {
		out = w.Session.Call(f, p, words, io.in, sc)
	} else {
		out = w.Command(p, words, io.in, inner)
	}
	exec := func(wd shell.Word) bool { return wd.Text == "exec" }
	if io.own && w.Stdin && slices.ContainsFunc(words, exec) {
		program.ScriptInput(p, shell.Stream{Bits: io.in.Bits}, "exec")
	}
	for _, s := range env {
		w.JudgeSetting(p, s, words)
		out.Bits |= s.Val.From &^ shell.Passing
	}
	if io.net && readsScript(p) {
		p.Add(judgement.RunsStrangers, "pipe:net", "a shell on a network connection")
	}
	w.again(c, words, io, inner, parts)
	return out
}

// again classifies the command for each of the other texts that its variables may hold.
func (w *walker) again(c *syntax.CallExpr, words []shell.Word, io *stdio, sc *shell.Scope,
	parts *[]finding.Part) {
	if !slices.ContainsFunc(words, func(wd shell.Word) bool { return wd.Maybe }) {
		return
	}
	for _, other := range sc.Others(c) {
		var p finding.Part
		var list []shell.Word
		for _, arg := range c.Args {
			list = w.Fields(list, arg, other, &p.Parts)
		}
		w.Command(&p, list, io.in, other)
		w.Mark(&p, c)
		if level := p.Highest(); level > (*parts)[len(*parts)-1].Highest() ||
			level >= verdict.Destructive ||
			p.Unread || len(p.Parts) > 0 {
			*parts = append(*parts, p)
		}
	}
}

// readsScript reports whether the part is a shell that runs its input, or runs one.
func readsScript(p *finding.Part) bool {
	for i := range p.Parts {
		if readsScript(&p.Parts[i]) {
			return true
		}
	}
	return p.Row == "pipe:shell"
}

// assignments returns a command of nothing but assignments.
func (w *walker) assignments(c *syntax.CallExpr, sc *shell.Scope,
	parts *[]finding.Part) (out shell.Stream) {
	var p finding.Part
	w.Mark(&p, c)
	for _, a := range c.Assigns {
		v := w.Assign(a, sc, &p)
		if a.Name != nil {
			w.JudgeSetting(&p, program.Setting{Name: a.Name.Value, Val: v}, nil)
		}
		out.Bits |= v.From
	}
	if p.Level > verdict.ReadOnly || len(p.Parts) > 0 {
		if p.Row == "" {
			p.Row, p.Reason = "assignment", "sets variables"
		}
		*parts = append(*parts, p)
	}
	return out
}

// run classifies a command that another one starts.
func (w *walker) run(words []shell.Word, in shell.Stream, sc *shell.Scope,
	parts *[]finding.Part) shell.Stream {
	*parts = append(*parts, finding.Part{})
	p := &(*parts)[len(*parts)-1]
	out := w.Command(p, words, in, sc)
	if len(words) > 0 && words[0].Src != nil && w.Source != "" {
		w.Mark(p, words[0].Src)
	}
	p.Text = shell.Join(words)
	return out
}
