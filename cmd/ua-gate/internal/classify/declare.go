package classify

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A declaration is one of declare, export, readonly, local, typeset and nameref while its
// words are judged.
type declaration struct {
	w     *walker
	p     *Part
	sc    *scope
	name  string // the builtin
	named bool   // a variable has been named
	ended bool   // no more flags

	changed bool // a flag makes another value of the one that is written
	changes bool // and of all that are written later
	list    bool
	fixed   bool
	global  bool
	prints  bool
}

// declaration returns one before its first word.
func (w *walker) declaration(name string, p *Part, sc *scope) declaration {
	d := declaration{w: w, p: p, sc: sc, name: name, fixed: name == "readonly"}
	if name == "nameref" {
		d.refers()
	}
	return d
}

// declare returns a declaration that the parser knows. Without a name it prints variables.
func (w *walker) declare(c *syntax.DeclClause, sc *scope, parts *[]Part) (out flow) {
	w.simple++
	p := Part{Name: c.Variant.Value, Row: c.Variant.Value, Reason: "sets variables"}
	p.Words = []Word{{Text: c.Variant.Value, Known: true}}
	w.mark(&p, c)
	d := w.declaration(c.Variant.Value, &p, sc)
	for _, a := range c.Args {
		switch {
		case !a.Naked:
			if a.Name != nil {
				d.local(a.Name.Value)
			}
			if d.fails() { // outside of functions
				sc.maybe++
			}
			v := w.assign(a, sc, &p)
			if d.fails() {
				sc.maybe--
			}
			if a.Name != nil {
				d.named = true
				d.set(a.Name.Value, v)
				if a.Value != nil && syntax.SplitBraces(&syntax.Word{Parts: slices.Clone(a.Value.Parts)}) {
					d.sc.doubt(a.Name.Value) // several declarations
				}
			}
		case a.Name != nil:
			d.word(lit(a.Name.Value))
		case a.Value != nil:
			for _, f := range w.fields(a.Value, sc, &p.Parts) {
				d.word(f)
				for _, other := range w.others(a.Value, f, sc) {
					d.word(other)
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

// others returns what a word may be as well, by the other values of its variables.
func (w *walker) others(src *syntax.Word, now word, sc *scope) (words []word) {
	if !now.maybe {
		return nil
	}
	for other := range sc.alternatives(src) {
		var unused []Part
		words = append(words, w.fields(src, other, &unused)...)
	}
	return words
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
	case f.text == "--":
		d.ended = true
		return
	case !d.ended && strings.HasPrefix(f.text, "-") || strings.HasPrefix(f.text, "+"):
		d.flags(f.text)
		return
	}
	d.named = true
	d.sc.guessed = d.sc.guessed || strings.Contains(name, hole) || !set && f.multi
	if d.w.unknownName(name) || !set && f.multi {
		d.p.add(runsHidden, "env:", d.name+" sets a variable whose name is not known")
	}
	if !set {
		d.declared(name)
		if d.prints && holdsSecret(name) && d.w.captured == 0 {
			d.p.add(readsSecrets, "env:secret", d.name+" -p prints a secret variable")
		}
		return
	}
	name = strings.TrimSuffix(name, "+")
	v := f.cut(len(f.text) - len(text))
	bare, _, _ := strings.Cut(name, "[")
	d.local(bare)
	// NAME[I]=VALUE changes one element, and what the others are is not followed.
	if bare, _, element := strings.Cut(name, "["); element {
		d.w.shellTable(d.p, bare)
		name = bare
		d.sc.forget(name, v.from)
	} else if strings.HasSuffix(f.text[:len(f.text)-len(text)], "+=") {
		old, ok := d.sc.vars[name]
		if !ok {
			old.text = hole
		}
		d.sc.set(name, old.appended(v, nil))
		v.text = old.text + v.text
	} else {
		d.sc.set(name, value{text: v.text, from: v.from, cmd: v.subst})
	}
	d.set(name, v)
}

// local notes a variable that is only the function's in which it is declared.
func (d *declaration) local(name string) {
	if !d.global && inList(" local declare typeset ", d.name) {
		d.w.local(name, d.sc)
	}
}

// fails reports whether the declaration sets nothing: local does so only in functions.
func (d *declaration) fails() bool { return d.name == "local" && len(d.w.calling) == 0 }

// declared is a name without a value: the variable has none any more where it is a new one.
func (d *declaration) declared(name string) {
	if before := len(d.w.frames); before > 0 {
		d.local(name)
		if !d.global && !d.prints && d.name != "export" && d.name != "readonly" {
			d.sc.forget(name, 0)
		}
	}
	if d.changes {
		d.sc.doubt(name)
	}
}

// flags notes what the flags change.
func (d *declaration) flags(text string) {
	on := strings.HasPrefix(text, "-")
	d.changed = d.changed || on && strings.ContainsAny(text, "cilnuA") || strings.Contains(text, hole)
	d.changes = d.changes || on && strings.ContainsAny(text, "ciluLRZ"+hole)
	d.list = d.list || on && strings.ContainsAny(text, "aA")
	if on && strings.ContainsAny(text, "n"+hole) && d.name != "export" {
		d.refers()
	}
	d.fixed = d.fixed || on && strings.Contains(text, "r")
	d.global = d.global || on && strings.Contains(text, "g")
	d.prints = d.prints || on && strings.Contains(text, "p")
}

// set judges a variable that has got its value.
func (d *declaration) set(name string, v word) {
	d.compound(v.text)
	d.w.setting(d.p, setting{name, v}, nil)
	if inList(" declare typeset ", d.name) {
		d.w.notInEachSh(d.sc, name)
	}
	if d.changes {
		d.sc.doubt(name)
	}
	if d.changed {
		d.sc.forget(name, 0)
	}
	if d.fixed && d.sc.maybe > 0 {
		d.sc.doubt(name)
	} else if d.fixed {
		kept := d.sc.vars[name]
		kept.fixed = true
		d.sc.vars[name] = kept
	}
}

// notInEachSh notes a variable that one shell by the name sh sets where another one, such as dash,
// knows no such word and leaves the variable as it was.
func (w *walker) notInEachSh(sc *scope, name string) {
	if w.plainSh || w.shell() == "sh" {
		sc.doubt(name)
	}
}

// refers is the rule for a variable that stands for another one: what is set from then on is not
// followed.
func (d *declaration) refers() {
	d.p.add(runsHidden, "dialect:nameref", d.name+" makes one variable stand for another")
	d.p.Unread = true
}

// compound is the rule for a value in parentheses, whatever quotes are around them: a list
// gets its elements from it, with the commands in them.
func (d *declaration) compound(text string) {
	if strings.HasPrefix(text, "(") && strings.ContainsAny(text, "$`<>") &&
		(d.list || d.name != "export") {
		d.p.add(runsHidden, "word:elements", d.name+" runs the commands in a list's text")
		d.p.Unread = true
	}
}

// unknownName reports whether a variable whose name is not known whole may be one by which
// programs run other code. Those have no small letters, but for the lists of zsh.
func (w *walker) unknownName(name string) bool {
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
