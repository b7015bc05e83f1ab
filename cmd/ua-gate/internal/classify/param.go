package classify

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// param returns the value of a parameter expansion: that of the variable, or an unknown one with
// the origin of it.
func (w *expander) param(p *syntax.ParamExp, sc *scope, parts *[]Part) value {
	unknown := value{text: hole}
	// ${a:-${b:-${c:-…}}} may be nested deeper than the stack is.
	if w.nested++; w.nested > maxNested {
		w.nested--
		w.unread(parts, nil, "limit:depth", "too many expansions inside expansions")
		return unknown
	}
	defer func() { w.nested-- }()
	w.insideParam(p, sc, parts)
	if p.Param == nil || p.Flags != nil || p.NestedParam != nil || len(p.Modifiers) > 0 {
		return w.ofZsh(p, parts)
	}
	v, set := sc.get(p.Param.Value)
	// What cannot be computed has at least the origin of the variable's value.
	unknown.from, unknown.cmd = v.from&^fromTemp, v.cmd
	if p.Excl && v.from&(fromSecret|fromNames) != 0 {
		unknown.from |= fromVar // a variable by one of the names that another command gave
	}
	if p.Excl && p.Names != 0 {
		unknown.from |= fromNames // ${!AWS*}
	}
	if p.Excl && p.Names == 0 {
		for _, name := range append(v.others, v.text) {
			if held, ok := sc.vars[name]; ok {
				unknown.from |= held.from
			} else if holdsSecret(name) {
				unknown.from |= fromVar
			}
		}
	}
	switch {
	case p.Length || p.IsSet:
		return value{text: hole}
	case len(v.list) > 0 && !p.Excl && (p.Slice != nil || p.Index != nil) && p.Repl == nil:
		if several(p) {
			return v
		}
		unknown.others, unknown.maybe = v.list[:min(len(v.list), maxOlder)], true
		return unknown
	case p.Index != nil && !p.Excl && p.Slice == nil && p.Repl == nil && p.Exp == nil:
		return v
	case p.Excl || p.Names != 0 || p.Index != nil || p.Slice != nil || p.Repl != nil:
		return unknown
	case p.Exp == nil:
		return v
	}
	return w.orWord(p, v, unknown, set, sc, parts)
}

// orWord is ${NAME:-WORD} and its kind. The word is walked as well: it may hold commands.
func (w *expander) orWord(p *syntax.ParamExp, v, unknown value, set bool, sc *scope,
	parts *[]Part) value {
	switch p.Exp.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		alt := w.single(p.Exp.Word, sc, parts)
		if p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull {
			sc.forget(p.Param.Value, alt.from)
			var part Part
			if w.setting(&part, setting{p.Param.Value, alt}, nil); part.Level > readOnly {
				*parts = append(*parts, part)
			}
		}
		if (set || p.Param.Value == "PWD") && v.text != hole && v.text != "" {
			if v.maybe {
				v.others = another(v.others, alt.text, v.text)
			}
			return v
		}
		// What the command does not set has, by custom, a place that is known.
		if place := usualPlace(p.Param.Value); !set && place != "" {
			return value{text: place, from: alt.from, maybe: v.maybe}
		}
		unknown.from |= alt.from
		unknown.others, unknown.maybe = another(v.others, alt.text, hole), true
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		w.inside(p.Exp.Word, sc, parts)
		return v
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		alt := w.single(p.Exp.Word, sc, parts)
		unknown.from = unknown.from&^fromVar | alt.from // whether it is set, and not what it holds
		unknown.others, unknown.maybe = another(nil, alt.text, hole), true
	default:
		w.inside(p.Exp.Word, sc, parts)
		if !set && p.Param.Value == "PWD" {
			return v // or a folder above it
		}
	}
	return unknown
}

// ofZsh is an expansion as zsh alone has it, which is not read: some run a text.
func (w *expander) ofZsh(p *syntax.ParamExp, parts *[]Part) value {
	w.unread(parts, p, "dialect:zsh", "an expansion of zsh, which is not read")
	return value{text: hole}
}

// insideParam looks at the words inside a parameter expansion.
func (w *expander) insideParam(p *syntax.ParamExp, sc *scope, parts *[]Part) {
	if p.Exp != nil && p.Exp.Op == syntax.OtherParamOps && p.Exp.Word != nil &&
		p.Exp.Word.Lit() == "P" {
		w.unread(parts, p, "word:@P", "${…@P} runs the commands in a variable's value")
	}
	if p.Exp != nil {
		w.processIn(p, p.Exp.Word, parts)
	}
	if p.Index != nil {
		w.inside(p.Index, sc, parts)
		w.flaggedIndex(p, p.Index, parts)
	}
	if p.Repl != nil {
		for _, word := range []*syntax.Word{p.Repl.Orig, p.Repl.With} {
			w.processIn(p, word, parts)
			w.inside(word, sc, parts)
		}
	}
	if p.Slice != nil {
		w.inside(p.Slice.Offset, sc, parts)
		w.inside(p.Slice.Length, sc, parts)
	}
}

// processIn is the rule for <(…) and >(…) in the word of an expansion. The parser takes
// them for text, and the shell runs them unless the expansion is quoted.
func (w *expander) processIn(p *syntax.ParamExp, src *syntax.Word, parts *[]Part) {
	if src == nil {
		return
	}
	for _, part := range src.Parts {
		if l, ok := part.(*syntax.Lit); ok && (strings.Contains(l.Value, "<(") ||
			strings.Contains(l.Value, ">(")) {
			w.unread(parts, p, "word:process", "commands in <(…) in an expansion's word")
		}
	}
}

// flaggedIndex is the rule for a subscript of zsh with flags, ${x[(r)PATTERN]}: the parser
// may not give the commands in its pattern.
func (w *expander) flaggedIndex(p, index syntax.Node, parts *[]Part) {
	syntax.Walk(index, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		case *syntax.Lit:
			if substitutes(n.Value) {
				w.fact(parts, p, runsHidden, "word:subscript", "a subscript that runs a command")
			}
		}
		return true
	})
}

// several reports whether an expansion may be several words, whatever quotes are around it.
func several(p *syntax.ParamExp) bool {
	if p.Param == nil || p.Names != 0 || p.Param.Value == "@" || p.Param.Value == "*" {
		return true
	}
	ix, ok := p.Index.(*syntax.Word)
	return ok && (ix.Lit() == "@" || ix.Lit() == "*")
}
