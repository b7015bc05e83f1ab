package classify

import (
	"slices"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// apart reports whether an expansion gives each of the words that v lists as a word of
// its own: "$@" and the elements of an array.
func (b *fieldBuilder) apart(p *syntax.ParamExp, v value, quoted bool) bool {
	switch {
	case v.list == nil || b.whole || p.Exp != nil || p.Param == nil || p.Slice != nil &&
		v.text == hole:
		return false
	case p.Param.Value == "@":
		return quoted && (v.text != hole || v.lists != nil)
	case p.Index == nil:
		return false
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
		b.cur.from |= v.from | b.sc.doubtOf(v)
		for _, other := range v.lists {
			b.cur.maybe = b.cur.maybe || i >= len(other) || other[i] != text ||
				i+1 == len(v.list) && len(other) > len(v.list)
		}
	}
	if len(v.list) == 0 && len(v.lists) > 0 {
		b.begun = true
		b.cur.text, b.cur.multi, b.cur.maybe = b.cur.text+hole, true, true
	}
}

// joined returns the value with what "$*" has between its words, the first character of IFS.
func (s *scope) joined(v value) value {
	ifs, set := s.vars["IFS"]
	if !set || v.list == nil || v.text == hole || len(v.list) == 1 && v.lists == nil ||
		strings.HasPrefix(ifs.text, " ") && len(ifs.older) == 0 {
		return v
	}
	first, n := utf8.DecodeRuneInString(ifs.text)
	if n == 0 || first == utf8.RuneError || strings.Contains(ifs.text, hole) ||
		len(ifs.older)+len(v.lists) > 0 {
		return value{text: hole, from: v.from, cmd: v.cmd,
			older: v.list[:min(len(v.list), maxOlder)]}
	}
	v.text = strings.Join(v.list, string(first))
	return v
}

// listOnly reports whether quotes hold nothing but an expansion that gives each word of a list.
func listOnly(q *syntax.DblQuoted) bool {
	if len(q.Parts) != 1 {
		return false
	}
	p, ok := q.Parts[0].(*syntax.ParamExp)
	return ok && p.Param != nil && (p.Param.Value == "@" || subscript(p) == "@")
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
