package classify

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A declaration is one of declare, export, readonly, local, typeset and nameref while its
// words are judged.
type declaration struct {
	w     *session
	p     *Part
	sc    *scope
	name  string // the builtin
	named bool   // a variable has been named

	changed bool // a flag makes another value of the one that is written
	prints  bool
}

// declaration returns one before its first word.
func (w *session) declaration(name string, p *Part, sc *scope) declaration {
	d := declaration{w: w, p: p, sc: sc, name: name}
	if name == "nameref" {
		d.refers()
	}
	return d
}

// declare returns a declaration that the parser knows. Without a name it prints variables.
func (w *expander) declare(c *syntax.DeclClause, sc *scope, parts *[]Part) (out flow) {
	w.simple++
	p := Part{Name: c.Variant.Value, Row: c.Variant.Value, Reason: "sets variables"}
	p.Words = []Word{{Text: c.Variant.Value, Known: true}}
	w.mark(&p, c)
	d := w.declaration(c.Variant.Value, &p, sc)
	for _, a := range c.Args {
		switch {
		case !a.Naked:
			if v := w.assign(a, sc, &p); a.Name != nil {
				d.named = true
				d.set(a.Name.Value, v)
			}
		case a.Name != nil:
			d.word(lit(a.Name.Value))
		case a.Value != nil:
			for _, f := range w.fields(nil, a.Value, sc, &p.Parts) {
				d.word(f)
				for _, text := range w.otherTexts(a.Value, f, sc) {
					d.word(f.with(text))
				}
			}
		}
	}
	*parts = append(*parts, p)
	if !d.named {
		out = fromSecret
	}
	return out
}

// word is one word of the declaration as the shell hands it over: a flag, a name, or a name
// with its value, whatever quotes and expansions it was written with.
func (d *declaration) word(f word) {
	if substitutes(f.text) {
		d.p.add(runsHidden, "word:subscript", "a subscript that runs a command")
		name, _, _ := strings.Cut(f.text, "=")
		d.p.Unread = d.p.Unread || subscripted(name)
	}
	name, text, set := strings.Cut(f.text, "=")
	switch {
	case strings.HasPrefix(f.text, "-"), strings.HasPrefix(f.text, "+"):
		d.flags(f.text)
		return
	}
	d.named = true
	if unknownName(name) || !set && f.multi {
		d.p.add(runsHidden, "env:", d.name+" sets a variable whose name is not known")
	}
	if !set {
		if d.prints && holdsSecret(name) && d.w.captured == 0 {
			d.p.add(readsSecrets, "env:secret", d.name+" -p prints a secret variable")
		}
		if f.multi || f.maybe {
			d.sc.lose()
		}
		return
	}
	v := f.cut(len(f.text) - len(text))
	bare, _, element := strings.Cut(strings.TrimSuffix(name, "+"), "[")
	if element {
		shellTable(d.p, bare)
	}
	d.sc.forget(bare, v.from)
	if v.plain() {
		d.sc.set(bare, value{text: v.text, from: v.from, cmd: v.subst, maybe: true})
	}
	d.set(bare, v)
}

// flags notes what the flags change.
func (d *declaration) flags(text string) {
	on := strings.HasPrefix(text, "-")
	d.changed = d.changed || strings.ContainsAny(text, "cilnuLRZ"+hole)
	if on && strings.ContainsAny(text, "n"+hole) && d.name != "export" {
		d.refers()
	}
	d.prints = d.prints || on && strings.Contains(text, "p")
}

// set judges a variable that has got its value.
func (d *declaration) set(name string, v word) {
	// A value in parentheses, whatever quotes are around them, is a list, which gets its elements
	// from it with the commands in them.
	if strings.HasPrefix(v.text, "(") && strings.ContainsAny(v.text, "$`<>") {
		d.p.add(runsHidden, "word:elements", d.name+" runs the commands in a list's text")
		d.p.Unread = true
	}
	d.w.setting(d.p, setting{name, v}, nil)
	if d.changed {
		d.sc.put(name, value{text: hole, from: v.from, maybe: true, others: another(nil, v.text, hole)})
	}
}

// refers is the rule for a variable that stands for another one: what is set from then on is not
// followed.
func (d *declaration) refers() {
	d.p.add(runsHidden, "dialect:nameref", d.name+" makes one variable stand for another")
	d.p.Unread = true
}

// unknownName reports whether a variable whose name is not known whole may be one by which
// programs run other code. Those have no small letters, but for the lists of zsh.
func unknownName(name string) bool {
	if !strings.Contains(name, hole) {
		return false
	}
	name, _, _ = strings.Cut(name, "[")
	return strings.ToUpper(name) == name
}

// declares is a declaration that another builtin starts, command export NAME=VALUE.
func (a *argv) declares() {
	d := a.w.declaration(a.name, a.p, a.sc)
	for _, wd := range a.words {
		d.word(wd)
	}
	if !d.named {
		a.out |= fromSecret
	}
}
