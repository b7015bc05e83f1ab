package classify

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"ua/internal/common/verdict"
)

// A setting is a variable set for one command.
type setting struct {
	name string
	val  word
}

// call classifies a simple command as written: its assignments, its words, what
// runs inside them, and what it does.
func (w *walker) call(c *syntax.CallExpr, io *stdio, sc *scope, parts *[]Part) stream {
	if len(c.Args) == 0 {
		return w.assignments(c, sc, parts)
	}
	*parts = append(*parts, Part{})
	p := &(*parts)[len(*parts)-1] // until the next one is appended
	w.mark(p, c)
	words := make([]word, 0, len(c.Args))
	for _, arg := range c.Args {
		words = w.fields(words, arg, sc, &p.Parts)
	}
	inner := sc
	var env []setting
	if len(c.Assigns) > 0 {
		// The variables of a builtin or a function may stay.
		if len(words) == 0 || !w.changesShell(words[0].text) && w.functions[words[0].text] == nil {
			inner = sc.sub()
		}
		for _, a := range c.Assigns {
			v := w.assign(a, inner, p)
			if a.Name != nil {
				env = append(env, setting{a.Name.Value, v})
			}
		}
	}
	var out stream
	if f := w.functionAt(words, sc); f != nil {
		a := argv{w: &w.session, p: p, sc: sc, in: io.in, name: words[0].text, words: words[1:]}
		p.Name = a.name
		p.setWords(words)
		a.called(f)
		out = stream{bits: a.out, open: true}
	} else {
		out = w.command(p, words, io.in, inner)
	}
	exec := func(wd word) bool { return wd.text == "exec" }
	if io.own && w.stdin && slices.ContainsFunc(words, exec) {
		scriptInput(p, stream{bits: io.in.bits}, "exec")
	}
	for _, s := range env {
		w.setting(p, s, words)
		out.bits |= s.val.from &^ passing
	}
	if io.net && readsScript(p) {
		p.add(runsStrangers, "pipe:net", "a shell on a network connection")
	}
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

// again classifies the command for each of the other texts that its variables may hold.
func (w *walker) again(c *syntax.CallExpr, words []word, io *stdio, sc *scope, parts *[]Part) {
	if !slices.ContainsFunc(words, func(wd word) bool { return wd.maybe }) {
		return
	}
	for _, other := range sc.others(c) {
		var p Part
		var list []word
		for _, arg := range c.Args {
			list = w.fields(list, arg, other, &p.Parts)
		}
		w.command(&p, list, io.in, other)
		w.mark(&p, c)
		if level := p.level(); level > (*parts)[len(*parts)-1].level() || level >= destructive ||
			p.Unread || len(p.Parts) > 0 {
			*parts = append(*parts, p)
		}
	}
}

// level returns the highest level of the part and those inside it.
func (p *Part) level() verdict.Level { return max(p.Level, highest(p.Parts)) }

// changesShell reports whether a builtin changes the scope in which it stands.
func (w *machine) changesShell(name string) bool {
	r := w.row(name)
	return r != nil && r.facts&factShell != 0
}

// assignments returns a command of nothing but assignments.
func (w *walker) assignments(c *syntax.CallExpr, sc *scope, parts *[]Part) (out stream) {
	var p Part
	w.mark(&p, c)
	for _, a := range c.Assigns {
		v := w.assign(a, sc, &p)
		if a.Name != nil {
			w.setting(&p, setting{a.Name.Value, v}, nil)
		}
		out.bits |= v.from
	}
	if p.Level > readOnly || len(p.Parts) > 0 {
		if p.Row == "" {
			p.Row, p.Reason = "assignment", "sets variables"
		}
		*parts = append(*parts, p)
	}
	return out
}

// run classifies a command that another one starts.
func (w *walker) run(words []word, in stream, sc *scope, parts *[]Part) stream {
	*parts = append(*parts, Part{})
	p := &(*parts)[len(*parts)-1]
	out := w.command(p, words, in, sc)
	if len(words) > 0 && words[0].src != nil && w.source != "" {
		w.mark(p, words[0].src)
	}
	p.Text = join(words)
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
func (w *session) command(p *Part, words []word, in stream, sc *scope) stream {
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
	// Nobody knows what runs.
	if !words[0].known() {
		scriptWord(p, words[0])
		if !words[0].plain() || words[0].glob || words[0].multi {
			return out
		}
	}
	name := words[0].text
	if name == "--" { // bash and zsh leave it out behind time (bash(1), Pipelines)
		p.add(runsHidden, "word:time", "time -- runs what is not read here")
		p.Unread = true
	}
	r, level := w.program(name)
	if r != nil && r.facts&factFish != 0 && w.shell != "fish" {
		r = nil
	}
	a := argv{w: w, p: p, sc: sc, in: in, row: r, name: path.Base(name), base: level,
		words: words[1:]}
	p.Name = a.name
	// Which of a function and a program of its name runs is not always clear: both count.
	f := w.functions[name]
	if f != nil {
		a.called(f)
		if out.bits |= a.out &^ fromTemp; r == nil {
			return out
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
	if out.bits |= a.out; f != nil {
		out.bits &^= fromTemp
	}
	if f == nil && (a.known || a.printed != "") { // which may be some of it
		out.text, out.known = a.printed, a.known
	}
	if p.Level == network {
		leak(p, out.bits)
		out.bits |= fromNet
	}
	return out
}

// setWords notes what is known of the words, and gives back what they carry.
func (p *Part) setWords(words []word) (carried flow) {
	p.Words = make([]Word, len(words))
	for i, wd := range words {
		text := strings.ReplaceAll(wd.text, hole, "")
		p.Words[i] = Word{Text: text, Known: wd.known(), Multi: wd.multi}
		carried |= wd.from
	}
	return carried
}
