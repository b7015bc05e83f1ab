package classify

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A trapped is the text of a trap, which runs at any time after it is set: at the end, at a
// signal, after each command.
type trapped struct {
	text  string
	o     *Options // how its shell reads it
	state string   // what it was judged with last, of what it names
}

// traps is the rule for a text that runs later. It is judged where it is set, too, where a
// variable that only later gets the name that mktemp makes is empty.
func (a *argv) traps(text word) {
	if !text.plain() || a.w.sprung {
		a.script("trap", text, stream{})
		return
	}
	a.w.doubtful(text.from, &a.p.Parts)
	t := &trapped{text: text.text, o: a.w.o}
	t.state = t.sees(a.sc)
	sc := a.sc.sub()
	for _, m := range madeLater.all(a.w.source) {
		if _, was := sc.vars[m[1]]; !was && strings.Contains(t.state, m[1]) {
			sc.vars[m[1]] = value{}
		}
	}
	set := maps.Clone(sc.vars)
	a.w.text(t.text, stream{}, sc, &a.p.Parts)
	for _, name := range sortedKeys(sc.vars) {
		if !onlyAtEnd(a.operands[1:]) && !sc.vars[name].same(set[name]) {
			a.sc.doubt(name)
		}
	}
	a.sc.traps = append(a.sc.traps[:len(a.sc.traps):len(a.sc.traps)], t)
}

// onlyAtEnd reports whether a trap runs at the shell's end and at no other time.
func onlyAtEnd(signals []word) bool {
	return !slices.ContainsFunc(signals, func(s word) bool { return !inList(" EXIT 0 ", s.text) })
}

// madeLater finds the variables of a script that get the name of what mktemp makes.
var madeLater = regex{text: `(?m)(?:^|[;&({\s])([a-z_]+)="?\$\(mktemp\b`}

// springs judges the traps again, where what they name is no longer what it was.
func (w *walker) springs(sc *scope, parts *[]Part) {
	if w.sprung || w.simple > MaxSimple {
		return
	}
	for _, t := range sc.traps {
		state := t.sees(sc)
		if state == t.state {
			continue
		}
		if w.traps++; w.traps > maxTraps {
			if w.traps == maxTraps+1 {
				w.unread(parts, nil, "limit:traps", "what a trap runs changes too often")
			}
			return
		}
		t.state = state
		var later []Part
		w.sprung = true
		outer, source := w.o, w.source
		w.o, w.source = t.o, ""
		inner := sc.sub()
		inner.maybe = 0
		w.text(t.text, stream{}, inner, &later)
		w.o, w.source = outer, source
		w.sprung = false
		keepHigher(parts, 0, later)
	}
}

// sees returns what is known of all that the trap's text names, as one text.
func (t *trapped) sees(sc *scope) string {
	text := t.text
	for range maxRounds { // functions that functions call
		for _, name := range sortedKeys(sc.funcs) {
			if body := sc.funcs[name].text(); strings.Contains(text, name) &&
				!strings.Contains(text, body) && len(text) < MaxBytes {
				text += "\n" + body
			}
		}
	}
	var b strings.Builder
	b.WriteString(sc.cwd + "\n" + text)
	for _, name := range sortedKeys(sc.vars) {
		if !strings.Contains(text, name) {
			continue
		}
		v := sc.vars[name]
		b.WriteString("\n" + name + "=" + v.text + "\n" + strings.Join(v.list, "\n"))
		if v.from&fromTemp != 0 {
			b.WriteString(" of mktemp")
		}
	}
	return b.String()
}

// text returns the body of the function.
func (f *function) text() string {
	if f.body == "" {
		var b strings.Builder
		if syntax.NewPrinter().Print(&b, f.decl.Body) != nil {
			return f.name
		}
		f.body = b.String()
	}
	return f.body
}
