package classify

import (
	"maps"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A setting is a variable set for one command.
type setting struct {
	name string
	val  word
}

// call classifies a simple command as written: its assignments, its words, what
// runs inside them, and what it does.
func (w *walker) call(c *syntax.CallExpr, io *stdio, sc *scope, parts *[]Part) stream {
	var p Part
	w.mark(&p, c)
	if len(c.Args) == 0 {
		return w.assignments(c, &p, sc, parts)
	}
	var words []word
	for _, arg := range c.Args {
		words = append(words, w.fields(arg, sc, &p.Parts)...)
	}
	inner := sc
	var env []setting
	if len(c.Assigns) > 0 {
		inner = sc.sub()
		inner.maybe = 0
		for _, a := range c.Assigns {
			v := w.assign(a, inner, &p)
			if a.Name != nil {
				env = append(env, setting{a.Name.Value, v})
			}
		}
		inner.maybe = sc.maybe
		if len(words) > 0 && (changesShell(words[0].text) || sc.funcs[words[0].text] != nil) {
			defer sc.during(inner, env, words[0].text)()
			inner = sc
		}
	}
	w.direct = true
	out := w.command(&p, words, io.in, inner)
	if io.own && w.reads > 0 && w.reads == w.own && onlyExec(words) {
		w.readsOn(&p, io.in, inner)
	}
	for _, s := range env {
		w.setting(&p, s, words)
		out.bits |= s.val.from &^ passing
	}
	if io.net && readsScript(&p) {
		p.add(runsStrangers, "pipe:net", "a shell on a network connection")
	}
	*parts = append(*parts, p)
	w.again(c, words, io, inner, parts)
	return out
}

// readsScript reports whether the part is a shell that runs its input, or runs one.
func readsScript(p *Part) bool {
	for i := range p.Parts {
		if readsScript(&p.Parts[i]) {
			return true
		}
	}
	return p.Row == "pipe:shell"
}

// again classifies the command for each of the other values that its variables
// may have.
func (w *walker) again(c *syntax.CallExpr, words []word, io *stdio, sc *scope, parts *[]Part) {
	if !slices.ContainsFunc(words, func(wd word) bool { return wd.maybe }) {
		return
	}
	for other := range sc.alternatives(c) {
		var p Part
		var list []word
		for _, arg := range c.Args {
			list = append(list, w.fields(arg, other, &p.Parts)...)
		}
		w.direct = true
		w.command(&p, list, io.in, other)
		w.mark(&p, c)
		if p.level() > (*parts)[len(*parts)-1].level() || p.Unread || len(p.Parts) > 0 {
			*parts = append(*parts, p)
		}
	}
}

// during gives the scope the variables that are set for one command, and returns what gives it
// back those of before.
func (s *scope) during(command *scope, env []setting, name string) (after func()) {
	keeps := inList(" export readonly declare typeset local command builtin eval ", name)
	if s.vars == nil {
		s.vars = map[string]value{}
	}
	before := map[string]value{}
	for _, e := range env {
		if v, was := s.vars[e.name]; was {
			before[e.name] = v
		}
		s.vars[e.name] = command.vars[e.name]
	}
	return func() {
		for _, e := range env {
			old, was := before[e.name]
			switch now := s.vars[e.name]; {
			case keeps, !now.same(command.vars[e.name]): // perhaps that of before, and perhaps not
				s.forget(e.name, now.from|old.from)
			case was:
				s.vars[e.name] = old
			default:
				delete(s.vars, e.name)
			}
		}
	}
}

// changesShell names the builtins that change the scope in which they stand.
func changesShell(name string) bool {
	switch name {
	case "cd", "pushd", "popd", "eval", "read", "printf", "unset", "export", "set", "mapfile",
		"readarray",
		"exec", "command", "builtin", "alias", "unalias", "trap", "source", ".", "declare", "local",
		"typeset", "readonly", "getopts", "let", "shift", "wait":
		return true
	}
	return false
}

// assignments returns a command of nothing but assignments.
func (w *walker) assignments(c *syntax.CallExpr, p *Part, sc *scope, parts *[]Part) (out stream) {
	for _, a := range c.Assigns {
		v := w.assign(a, sc, p)
		if a.Name != nil {
			w.setting(p, setting{a.Name.Value, v}, nil)
		}
		out.bits |= v.from
	}
	if p.Level > readOnly || len(p.Parts) > 0 {
		if p.Row == "" {
			p.Row, p.Reason = "assignment", "sets variables"
		}
		*parts = append(*parts, *p)
	}
	return out
}

// run classifies a command that another one starts.
func (w *walker) run(words []word, in stream, sc *scope, parts *[]Part) stream {
	var p Part
	out := w.command(&p, words, in, sc)
	if len(words) > 0 && words[0].src != nil && w.source != "" {
		w.mark(&p, words[0].src)
	}
	p.Text = join(words)
	*parts = append(*parts, p)
	return out
}

// join returns the words as a line, for people.
func join(words []word) string {
	var b strings.Builder
	for i, wd := range words {
		if i > 0 {
			b.WriteByte(' ')
		}
		text := show(wd.text)
		if strings.ContainsAny(text, " \n\t;|&'\"$") {
			text = "'" + text + "'"
		}
		b.WriteString(text)
	}
	return b.String()
}

// command classifies words as the shell runs them, into p. It gives back what
// the command's output carries.
func (w *walker) command(p *Part, words []word, in stream, sc *scope) stream {
	direct, past := w.direct, w.past
	w.direct, w.past = false, false
	if w.simple++; w.simple > MaxSimple || len(words) == 0 {
		return in
	}
	if w.depth++; w.depth > MaxDepth {
		w.depth--
		p.add(runsHidden, "limit:depth", "too many commands inside commands")
		p.Unread = true
		return in
	}
	defer func() { w.depth-- }()
	carried := p.setWords(words)
	out := stream{bits: (in.bits | carried) &^ passing, open: true}
	if words[0].text == "" && len(words) == 1 {
		return out
	}
	// Nobody knows what runs, unless the word can only be what was built here.
	if !words[0].known() {
		w.scriptWord(p, words[0])
		return out
	}
	name := words[0].text
	r, level := w.program(name)
	if inList(fishWords, name) && w.shell() != "fish" {
		r = nil
	}
	a := argv{w: w, p: p, sc: sc, in: in, row: r, name: path.Base(name), base: level,
		words: words[1:]}
	p.Name = a.name
	// An alias stands for words in front of the others. Inside of it the others are looked
	// for.
	if text, ok := sc.aliases[name]; ok && w.depth < MaxDepth {
		inner := sc.sub()
		inner.aliases = maps.Clone(sc.aliases)
		delete(inner.aliases, name)
		w.text(text+" "+join(words[1:]), in, inner, &p.Parts)
		// Behind a blank at its end the shell looks for an alias in the next word.
		if _, ok := sc.aliases[first(words[1:], "").text]; ok && strings.TrimRight(text, " \t") != text {
			p.add(runsHidden, "alias", "an alias in the word behind "+name)
			p.Unread = true
		}
	}
	if name == "return" {
		w.returns(sc)
	}
	if name == "unset" || name == "unfunction" || name == "functions" {
		sc.doubtFunctions(words[1:])
	}
	// A function goes before a program, if it is surely there and not a special builtin's
	// name. If it may be there, both are judged.
	if f := sc.funcs[name]; f != nil && !past {
		called := w.called(p, f, words[1:], in, sc)
		if r == nil || direct && f.sure && !inList(specialBuiltins, name) {
			called.bits |= out.bits
			return called
		}
	}
	if r == nil {
		a.unknownProgram(name)
		return out
	}
	if r.facts&factUa != 0 {
		w.delegates = true
	}
	a.base = max(a.base, r.level)
	a.do()
	a.sendsMore(in.bits | carried)
	out.bits |= a.out
	_, alias := sc.aliases[name]
	if sc.funcs[name] == nil && !alias && (a.known || a.printed != "") { // which may be some of it
		out.text, out.known = a.printed, a.known
	}
	if p.Level == network {
		w.leak(p, out.bits)
		out.bits |= fromNet
	}
	return out
}

// specialBuiltins are the builtins that sh looks for before functions, and those that look
// for a program past them or take one away.
const specialBuiltins = " . : break continue eval exec exit export readonly return set shift " +
	"times trap unset source " +
	"command builtin env "

// setWords notes what is known of the words, and gives back what they carry.
func (p *Part) setWords(words []word) (carried flow) {
	p.Words = make([]Word, len(words))
	for i, wd := range words {
		text := strings.ReplaceAll(wd.text, hole, "")
		p.Words[i] = Word{Text: text, Known: wd.known() && wd.from&fromDoubt == 0, Multi: wd.multi}
		carried |= wd.from
	}
	return carried
}

// called judges a call of a function of this command.
func (w *walker) called(p *Part, f *function, args []word, in stream, sc *scope) stream {
	for _, wd := range args {
		if subscripted(wd.text) {
			p.add(runsHidden, "word:subscript",
				"an argument with a subscript that runs a command")
			w.inSubscript(p, wd.text)
		}
	}
	out := w.invoke(f, args, in, sc, &p.Parts)
	p.add(readsFiles, "function", "a function of this command")
	return out
}
