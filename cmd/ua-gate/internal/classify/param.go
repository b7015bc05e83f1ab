package classify

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// param returns the value of a parameter expansion.
func (w *walker) param(p *syntax.ParamExp, sc *scope, parts *[]Part) value {
	v := w.paramApart(p, sc, parts)
	if p.Param != nil && (p.Param.Value == "*" || p.Excl || subscript(p) == "*") {
		return sc.joined(v)
	}
	return v
}

// paramApart is param with blanks between the words of a list.
func (w *walker) paramApart(p *syntax.ParamExp, sc *scope, parts *[]Part) value {
	unknown := value{text: hole}
	// ${a:-${b:-${c:-…}}} may be nested deeper than the stack is.
	if w.nested++; w.nested > maxNested {
		w.nested--
		w.unread(parts, nil, "limit:depth", "too many expansions inside expansions")
		return unknown
	}
	defer func() { w.nested-- }()
	w.insideParam(p, sc, parts)
	if p.Param == nil || p.Flags != nil {
		return w.unnamed(p, sc, parts)
	}
	v, set := sc.vars[p.Param.Value]
	if !set || p.Param.Value == "_" { // the last word of the command before
		set = false
		v = sc.implicit(p.Param.Value)
	}
	// What cannot be computed has at least the origin of the variable's value.
	unknown.from, unknown.cmd = v.from&^fromTemp, v.cmd
	if p.Excl && v.from&(fromSecret|fromNames) != 0 {
		unknown.from |= fromVar // a variable by one of the names that another command gave
	}
	if p.Excl && p.Names != 0 {
		unknown.from |= fromNames // ${!AWS*}
	}
	// Forms that change the value leave only its origin, unless it is a list of known
	// words.
	switch {
	case p.Length || p.IsSet:
		return value{text: hole}
	case p.Index != nil && p.Slice == nil && p.Repl == nil && p.Exp == nil && !p.Excl &&
		len(v.older) > 0:
		return v
	case p.Slice != nil && several(p) && v.list != nil && p.Repl == nil && p.Exp == nil && !p.Excl:
		return v.slice()
	case p.Excl && p.Names == 0 && p.Index == nil && p.Slice == nil && p.Repl == nil:
		return w.indirect(p, v, sc, parts)
	case p.Excl || p.Names != 0 || p.Index != nil && !v.exact || p.Slice != nil || p.Repl != nil ||
		len(p.Modifiers) > 0:
		return unknown
	case p.Exp == nil:
		return v
	}
	// ${NAME:-WORD} and its kind. The word is walked as well: it may hold commands.
	switch p.Exp.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		alt := w.single(p.Exp.Word, sc, parts)
		if p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull {
			w.fillsUnset(p.Param.Value, alt, sc, parts)
		}
		if (set || p.Param.Value == "PWD") && v.text != hole && v.text != "" {
			return v
		}
		// What the command does not set has, by custom, a place that is known.
		if place := usualPlace(p.Param.Value); !set && place != "" {
			return value{text: place, from: alt.from}
		}
		unknown.from |= alt.from
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		w.inside(p.Exp.Word, sc, parts)
		return v
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		unknown.from &^= fromVar // whether it is set, and not what it holds
		w.inside(p.Exp.Word, sc, parts)
	default:
		w.inside(p.Exp.Word, sc, parts)
		// ${PWD%/} is the folder and ${PWD%/*} the one above.
		if set || p.Param.Value != "PWD" || p.Exp.Word == nil {
			return unknown
		}
		if end := p.Exp.Word.Lit(); end == "/" {
			return v
		} else if end == "/*" && p.Exp.Op == syntax.RemSmallSuffix {
			return value{text: ".."}
		}
	}
	return unknown
}

// fillsUnset is what ${NAME:=WORD} does to the variable.
func (w *walker) fillsUnset(name string, alt word, sc *scope, parts *[]Part) {
	sc.set(name, value{text: hole, from: alt.from})
	var part Part
	if w.setting(&part, setting{name, alt}, nil); part.Level > readOnly {
		*parts = append(*parts, part)
	}
}

// fillsOther is what ${NAME[INDEX]:=WORD} does, and zsh's ${(FLAGS)NAME:=WORD}: with P the
// variable is one that another one names.
func (w *walker) fillsOther(p *syntax.ParamExp, parts *[]Part) {
	var part Part
	switch {
	case p.Param == nil:
	case p.Flags != nil && strings.Contains(p.Flags.Value, "P"):
		w.fills(&part, hole)
	case p.Flags != nil:
		w.fills(&part, p.Param.Value)
	case p.Index != nil:
		w.shellTable(&part, p.Param.Value)
		w.fills(&part, p.Param.Value)
	}
	if part.Level > readOnly {
		w.mark(&part, p)
		*parts = append(*parts, part)
	}
}

// indirect returns the value of the variable that another one names, ${!NAME}.
func (w *walker) indirect(p *syntax.ParamExp, name value, sc *scope, parts *[]Part) value {
	unknown := value{text: hole, from: name.from &^ fromTemp, cmd: name.cmd}
	if name.from&(fromSecret|fromNames) != 0 {
		unknown.from |= fromVar // a variable by one of the names that another command gave
	}
	if all := sc.vars["@"]; p.Param.Value == "#" && len(all.list) > 0 {
		return value{text: all.list[len(all.list)-1], from: all.from}
	}
	if p.Exp != nil {
		alt := w.single(p.Exp.Word, sc, parts)
		if p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull {
			w.fillsUnset(name.text, alt, sc, parts)
		}
		unknown.from |= alt.from
		return unknown
	}
	if holdsSecret(name.text) && sc.vars[name.text].text == "" {
		unknown.from |= fromVar
	}
	if v, ok := sc.vars[name.text]; ok && len(name.older) == 0 {
		v.from |= name.from
		return v
	}
	return unknown
}

// slice returns what ${@:OFFSET:LENGTH} may take of a list: any of its words.
func (v value) slice() value {
	return value{text: hole, from: v.from, cmd: v.cmd, older: v.list[:min(len(v.list), maxOlder)]}
}

// asPrompt reports whether zsh expands a text as a prompt, which may have commands in it.
func asPrompt(p *syntax.ParamExp) bool {
	if !strings.Contains(p.Flags.Value, "%") || p.Param != nil {
		return strings.Contains(p.Flags.Value, "%")
	}
	var text strings.Builder
	return syntax.NewPrinter().Print(&text, p) != nil || substitutes(text.String())
}

// insideParam looks at the words inside a parameter expansion.
func (w *walker) insideParam(p *syntax.ParamExp, sc *scope, parts *[]Part) {
	if p.Exp != nil && p.Exp.Op == syntax.OtherParamOps && p.Exp.Word != nil &&
		p.Exp.Word.Lit() == "P" {
		w.runsValue(p, "word:@P", "${…@P}", sc, parts)
	}
	if p.Flags != nil && (strings.Contains(p.Flags.Value, "e") || asPrompt(p)) {
		w.runsValue(p, "word:(e)", "${(e)…}", sc, parts)
	}
	if p.Exp != nil && (p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull) {
		w.fillsOther(p, parts)
	}
	if p.NestedParam != nil {
		w.inside(p.NestedParam, sc, parts)
	}
	if p.Exp != nil {
		w.processIn(p, p.Exp.Word, parts)
	}
	if p.Repl != nil {
		w.processIn(p, p.Repl.Orig, parts)
		w.processIn(p, p.Repl.With, parts)
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

// processIn is the rule for <(…) and >(…) in the word of an expansion. The parser takes
// them for text, and the shell runs them unless the expansion is quoted.
func (w *walker) processIn(p *syntax.ParamExp, src *syntax.Word, parts *[]Part) {
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

// unnamed returns an expansion of zsh without a variable's name, or with flags: its
// value is not followed, but for the word of ${:-WORD}.
func (w *walker) unnamed(p *syntax.ParamExp, sc *scope, parts *[]Part) value {
	if p.Exp == nil || p.Exp.Word == nil {
		return value{text: hole, from: w.namesSecret(p, sc)}
	}
	word := w.single(p.Exp.Word, sc, parts)
	if p.Param == nil && p.NestedParam == nil && len(p.Modifiers) == 0 && (p.Flags == nil ||
		!strings.Contains(p.Flags.Value, "Q")) {
		return value{text: word.text, from: word.from, cmd: word.subst}
	}
	return value{text: hole, from: word.from, cmd: word.subst}
}

// namesSecret returns what an expansion of zsh carries that takes a variable by its name: the
// value of another variable, or a pattern.
func (w *walker) namesSecret(p *syntax.ParamExp, sc *scope) flow {
	switch {
	case p.Param == nil:
	case p.Flags != nil && strings.Contains(p.Flags.Value, "P") &&
		holdsSecret(sc.vars[p.Param.Value].text):
		return fromVar
	}
	return 0
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
				w.fact(parts, p, runsHidden, "word:subscript", "a subscript that runs a command")
			}
		}
		return true
	})
}
