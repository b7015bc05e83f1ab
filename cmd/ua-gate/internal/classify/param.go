package classify

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// insideParam looks at the words inside a parameter expansion.
func (w *walker) insideParam(p *syntax.ParamExp, sc *scope, parts *[]Part) {
	if p.Exp != nil && p.Exp.Op == syntax.OtherParamOps && p.Exp.Word != nil &&
		p.Exp.Word.Lit() == "P" {
		w.fact(parts, p, destructive, "word:@P", "${…@P} runs the commands in a variable's value")
	}
	if p.Flags != nil && strings.Contains(p.Flags.Value, "e") {
		w.fact(parts, p, destructive, "word:(e)", "${(e)…} runs the commands in a variable's value")
	}
	if p.NestedParam != nil {
		w.inside(p.NestedParam, sc, parts)
	}
	if p.Index != nil {
		w.inside(p.Index, sc, parts)
		w.flaggedIndex(p, p.Index, parts)
	}
	if p.Repl != nil {
		w.inside(p.Repl.Orig, sc, parts)
		w.inside(p.Repl.With, sc, parts)
	}
	if p.Slice != nil {
		w.inside(p.Slice.Offset, sc, parts)
		w.inside(p.Slice.Length, sc, parts)
	}
}

// unnamed returns an expansion of zsh without a variable's name, or with flags: its
// value is not followed, but for the word of ${:-WORD}.
func (w *walker) unnamed(p *syntax.ParamExp, sc *scope, parts *[]Part) value {
	if p.Exp == nil || p.Exp.Word == nil {
		return value{text: hole}
	}
	word := w.single(p.Exp.Word, sc, parts)
	if p.Param == nil && p.NestedParam == nil && len(p.Modifiers) == 0 {
		return value{text: word.text, from: word.from, cmd: word.subst}
	}
	return value{text: hole, from: word.from, cmd: word.subst}
}

// flaggedIndex is the rule for a subscript of zsh with flags, ${x[(r)PATTERN]}: the parser
// may not give the commands in its pattern.
func (w *walker) flaggedIndex(p, index syntax.Node, parts *[]Part) {
	syntax.Walk(index, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		case *syntax.Lit:
			if substitutes(n.Value) {
				w.fact(parts, p, destructive, "word:subscript", "a subscript that runs a command")
			}
		}
		return true
	})
}
