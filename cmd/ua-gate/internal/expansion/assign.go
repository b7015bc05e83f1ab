package expansion

import (
	"mvdan.cc/sh/v3/syntax"

	"ua/cmd/ua-gate/internal/finding"
	"ua/cmd/ua-gate/internal/program"
	"ua/cmd/ua-gate/internal/shell"
)

// Assign returns one assignment; what it means for the programs that run later
// raises p.
func (x *Expander) Assign(a *syntax.Assign, sc *shell.Scope, p *finding.Part) shell.Word {
	if a.Index != nil {
		x.Inside(a.Index, sc, &p.Parts)
		x.flaggedIndex(a.Name, a.Index, &p.Parts)
	}
	var elements []shell.Word
	if a.Array != nil {
		for _, e := range a.Array.Elems {
			if e.Index != nil {
				x.Inside(e.Index, sc, &p.Parts)
			}
			if e.Value != nil {
				elements = x.Fields(elements, e.Value, sc, &p.Parts)
			}
		}
	}
	v := x.Single(a.Value, sc, &p.Parts)
	if a.Name == nil {
		return v
	}
	name := a.Name.Value
	if a.Index != nil {
		program.ShellTable(p, name)
		elements = append(elements, v)
	}
	for _, e := range elements {
		if name == "PROMPT_COMMAND" {
			x.Prompts(p, program.Setting{Name: name, Val: e}, nil)
		}
		program.Evaluates(p, "a value of "+name, e.Text)
	}
	switch {
	case a.Array != nil || a.Index != nil:
		sc.Array(name, elements)
	case a.Append:
		old, _ := sc.Get(name)
		now := shell.Value{Text: old.Text + v.Text, From: old.From | v.From, Cmd: old.Cmd || v.Subst}
		for _, text := range old.Others {
			now.Others = append(now.Others, text+v.Text)
		}
		sc.Set(name, now)
	default:
		sc.Set(name, shell.Value{Text: v.Text, From: v.From, Cmd: v.Subst, Maybe: v.Maybe,
			Others: x.OtherTexts(a.Value, v, sc)})
	}
	return v
}

// Declare returns a declaration that the parser knows. Without a name it prints variables.
func (x *Expander) Declare(c *syntax.DeclClause, sc *shell.Scope,
	parts *[]finding.Part) (out shell.Flow) {
	x.Simple++
	p := finding.Part{Name: c.Variant.Value, Row: c.Variant.Value, Reason: "sets variables"}
	p.Words = []finding.Word{{Text: c.Variant.Value, Known: true}}
	x.Mark(&p, c)
	d := x.Declaration(c.Variant.Value, &p, sc)
	for _, a := range c.Args {
		switch {
		case !a.Naked:
			if v := x.Assign(a, sc, &p); a.Name != nil {
				d.Named = true
				d.Set(a.Name.Value, v)
			}
		case a.Name != nil:
			d.Word(shell.Lit(a.Name.Value))
		case a.Value != nil:
			for _, f := range x.Fields(nil, a.Value, sc, &p.Parts) {
				d.Word(f)
				for _, text := range x.OtherTexts(a.Value, f, sc) {
					d.Word(f.With(text))
				}
			}
		}
	}
	*parts = append(*parts, p)
	if !d.Named {
		out = shell.FromSecret
	}
	return out
}

// OtherTexts returns what a word may be as well, by the other texts of its variables.
func (x *Expander) OtherTexts(src *syntax.Word, now shell.Word, sc *shell.Scope) (texts []string) {
	if !now.Maybe || src == nil {
		return nil
	}
	for _, other := range sc.Others(src) {
		var unused []finding.Part
		texts = shell.Another(texts, x.Single(src, other, &unused).Text, now.Text)
	}
	return texts
}
