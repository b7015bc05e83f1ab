package classify

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// apart reports whether an expansion gives each of the words that v lists as a word of
// its own: "$@" and the elements of an array.
func (b *fieldBuilder) apart(p *syntax.ParamExp, v value, quoted bool) bool {
	switch {
	case len(v.list) == 0 || b.whole || p.Exp != nil || p.Param == nil:
		return false
	case p.Param.Value == "@":
		return quoted && v.text != hole
	case p.Index == nil:
		if quoted || b.w.shell() != "zsh" {
			return false
		}
	case !several(p), quoted && subscript(p) == "*":
		return false
	}
	return quoted || !slices.ContainsFunc(v.list, func(text string) bool {
		return text == "" || strings.ContainsAny(text, " \t\n*?[")
	})
}

// words adds the words that v lists.
func (b *fieldBuilder) words(v value) {
	for i, text := range v.list {
		if i > 0 {
			b.done = append(b.done, b.cur)
			b.cur = word{src: b.cur.src}
		}
		b.begun = true
		b.cur.text += text
		b.cur.from |= v.from
	}
}

func several(p *syntax.ParamExp) bool {
	if p.Param == nil {
		return true
	}
	if p.Names != 0 || p.Param.Value == "@" || p.Param.Value == "*" {
		return true
	}
	return subscript(p) == "@" || subscript(p) == "*"
}

// subscript returns the literal text of an expansion's subscript.
func subscript(p *syntax.ParamExp) string {
	if ix, ok := p.Index.(*syntax.Word); ok {
		return ix.Lit()
	}
	return ""
}
