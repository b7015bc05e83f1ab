package expansion

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"ua/cmd/ua-gate/internal/finding"
	"ua/cmd/ua-gate/internal/judgement"
	"ua/cmd/ua-gate/internal/match"
	"ua/cmd/ua-gate/internal/program"
	"ua/cmd/ua-gate/internal/shell"
	"ua/internal/common/verdict"
)

// param returns the value of a parameter expansion: that of the variable, or an unknown one with
// the origin of it.
func (x *Expander) param(p *syntax.ParamExp, sc *shell.Scope, parts *[]finding.Part) shell.Value {
	unknown := shell.Value{Text: match.Hole}
	// ${a:-${b:-${c:-…}}} may be nested deeper than the stack is.
	if x.Nested++; x.Nested > MaxNested {
		x.Nested--
		x.Unread(parts, nil, "limit:depth", "too many expansions inside expansions")
		return unknown
	}
	defer func() { x.Nested-- }()
	x.insideParam(p, sc, parts)
	if p.Param == nil || p.Flags != nil || p.NestedParam != nil || len(p.Modifiers) > 0 {
		return x.ofZsh(p, parts)
	}
	v, set := sc.Get(p.Param.Value)
	// What cannot be computed has at least the origin of the variable's value.
	unknown.From, unknown.Cmd = v.From&^shell.FromTemp, v.Cmd
	if p.Excl && v.From&(shell.FromSecret|shell.FromNames) != 0 {
		unknown.From |= shell.FromVar // a variable by one of the names that another command gave
	}
	if p.Excl && p.Names != 0 {
		unknown.From |= shell.FromNames // ${!AWS*}
	}
	if p.Excl && p.Names == 0 {
		for _, name := range append(v.Others, v.Text) {
			if held, ok := sc.Vars[name]; ok {
				unknown.From |= held.From
			} else if shell.HoldsSecret(name) {
				unknown.From |= shell.FromVar
			}
		}
	}
	switch {
	case p.Length || p.IsSet:
		return shell.Value{Text: match.Hole}
	case len(v.List) > 0 && !p.Excl && (p.Slice != nil || p.Index != nil) && p.Repl == nil:
		if several(p) {
			return v
		}
		unknown.Others, unknown.Maybe = v.List[:min(len(v.List), shell.MaxOlder)], true
		return unknown
	case p.Index != nil && !p.Excl && p.Slice == nil && p.Repl == nil && p.Exp == nil:
		return v
	case p.Excl || p.Names != 0 || p.Index != nil || p.Slice != nil || p.Repl != nil:
		return unknown
	case p.Exp == nil:
		return v
	}
	return x.orWord(p, v, unknown, set, sc, parts)
}

// orWord is ${NAME:-WORD} and its kind. The word is walked as well: it may hold commands.
func (x *Expander) orWord(p *syntax.ParamExp, v, unknown shell.Value, set bool, sc *shell.Scope,
	parts *[]finding.Part) shell.Value {
	switch p.Exp.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		alt := x.Single(p.Exp.Word, sc, parts)
		if p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull {
			sc.Forget(p.Param.Value, alt.From)
			var part finding.Part
			if x.JudgeSetting(&part, program.Setting{Name: p.Param.Value, Val: alt},
				nil); part.Level > verdict.ReadOnly {
				*parts = append(*parts, part)
			}
		}
		if (set || p.Param.Value == "PWD") && v.Text != match.Hole && v.Text != "" {
			if v.Maybe {
				v.Others = shell.Another(v.Others, alt.Text, v.Text)
			}
			return v
		}
		// What the command does not set has, by custom, a place that is known.
		if place := shell.UsualPlace(p.Param.Value); !set && place != "" {
			return shell.Value{Text: place, From: alt.From, Maybe: v.Maybe}
		}
		unknown.From |= alt.From
		unknown.Others, unknown.Maybe = shell.Another(v.Others, alt.Text, match.Hole), true
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		x.Inside(p.Exp.Word, sc, parts)
		return v
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		alt := x.Single(p.Exp.Word, sc, parts)
		unknown.From = unknown.From&^shell.FromVar | alt.From // whether it is set, and not what it holds
		unknown.Others, unknown.Maybe = shell.Another(nil, alt.Text, match.Hole), true
	default:
		x.Inside(p.Exp.Word, sc, parts)
		if !set && p.Param.Value == "PWD" {
			return v // or a folder above it
		}
	}
	return unknown
}

// ofZsh is an expansion as zsh alone has it, which is not read: some run a text.
func (x *Expander) ofZsh(p *syntax.ParamExp, parts *[]finding.Part) shell.Value {
	x.Unread(parts, p, "dialect:zsh", "an expansion of zsh, which is not read")
	return shell.Value{Text: match.Hole}
}

// insideParam looks at the words inside a parameter expansion.
func (x *Expander) insideParam(p *syntax.ParamExp, sc *shell.Scope, parts *[]finding.Part) {
	if p.Exp != nil && p.Exp.Op == syntax.OtherParamOps && p.Exp.Word != nil &&
		p.Exp.Word.Lit() == "P" {
		x.Unread(parts, p, "word:@P", "${…@P} runs the commands in a variable's value")
	}
	if p.Exp != nil {
		x.processIn(p, p.Exp.Word, parts)
	}
	if p.Index != nil {
		x.Inside(p.Index, sc, parts)
		x.flaggedIndex(p, p.Index, parts)
	}
	if p.Repl != nil {
		for _, word := range []*syntax.Word{p.Repl.Orig, p.Repl.With} {
			x.processIn(p, word, parts)
			x.Inside(word, sc, parts)
		}
	}
	if p.Slice != nil {
		x.Inside(p.Slice.Offset, sc, parts)
		x.Inside(p.Slice.Length, sc, parts)
	}
}

// processIn is the rule for <(…) and >(…) in the word of an expansion. The parser takes
// them for text, and the shell runs them unless the expansion is quoted.
func (x *Expander) processIn(p *syntax.ParamExp, src *syntax.Word, parts *[]finding.Part) {
	if src == nil {
		return
	}
	for _, part := range src.Parts {
		if l, ok := part.(*syntax.Lit); ok && (strings.Contains(l.Value, "<(") ||
			strings.Contains(l.Value, ">(")) {
			x.Unread(parts, p, "word:process", "commands in <(…) in an expansion's word")
		}
	}
}

// flaggedIndex is the rule for a subscript of zsh with flags, ${x[(r)PATTERN]}: the parser
// may not give the commands in its pattern.
func (x *Expander) flaggedIndex(p, index syntax.Node, parts *[]finding.Part) {
	syntax.Walk(index, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return false
		case *syntax.Lit:
			if shell.Substitutes(n.Value) {
				x.Fact(parts, p, judgement.RunsHidden, "word:subscript", "a subscript that runs a command")
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

// Inside classifies the commands in a node that isn't itself one: a test, an
// arithmetic expression, the word of an expansion.
func (x *Expander) Inside(node syntax.Node, sc *shell.Scope, parts *[]finding.Part) {
	if shell.Empty(node) {
		return
	}
	syntax.Walk(node, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			x.Commands(n.Stmts, sc, parts)
			return false
		case *syntax.ProcSubst:
			x.Commands(n.Stmts, sc, parts)
			return false
		case *syntax.ParamExp:
			x.param(n, sc, parts)
			return false
		// Arithmetic evaluates the text of a value once more, subscripts too.
		case *syntax.Word:
			if arithmetic(node) && len(n.Parts) > 1 && shell.Substitutes(x.Single(n, sc, parts).Text) {
				x.Unread(parts, n, "word:subscript", "arithmetic runs the commands in a value")
			}
		case *syntax.Lit:
			if _, test := node.(*syntax.TestClause); test && (strings.Contains(n.Value, "<(") ||
				strings.Contains(n.Value, ">(")) {
				x.Unread(parts, n, "word:process", "commands in <(…) in a regular expression")
			}
		}
		return true
	})
}

func arithmetic(node syntax.Node) bool {
	switch node.(type) {
	case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause, *syntax.TestClause,
		*syntax.CStyleLoop:
		return true
	}
	return false
}
