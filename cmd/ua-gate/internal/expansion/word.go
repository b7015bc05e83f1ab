package expansion

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"ua/cmd/ua-gate/internal/finding"
	"ua/cmd/ua-gate/internal/match"
	"ua/cmd/ua-gate/internal/program"
	"ua/cmd/ua-gate/internal/shell"
	"ua/internal/common/verdict"
)

// Fields appends to all what one word becomes as the shell expands it for a command's
// arguments. What runs in it goes to parts.
func (x *Expander) Fields(all []shell.Word, src *syntax.Word, sc *shell.Scope,
	parts *[]finding.Part) []shell.Word {
	if len(src.Parts) == 1 {
		if l, ok := src.Parts[0].(*syntax.Lit); ok && !strings.ContainsAny(l.Value, "\\{*?[") {
			return append(all, shell.Word{Text: l.Value, Src: src})
		}
	}
	braced := *src
	if !syntax.SplitBraces(&braced) {
		return append(all, x.expand(src, sc, parts)...)
	}
	words, ok := braces(&braced)
	if !ok {
		return append(all, shell.Word{Text: match.Hole, Src: src, Multi: true})
	}
	before := len(all)
	for _, b := range words {
		all = append(all, x.expand(b, sc, parts)...)
	}
	for i := before; i < len(all); i++ {
		all[i].Src = src
	}
	return all
}

// expand returns fields for a word without braces.
func (x *Expander) expand(src *syntax.Word, sc *shell.Scope, parts *[]finding.Part) []shell.Word {
	b := fieldBuilder{x: x, sc: sc, parts: parts}
	b.cur.Src = src
	for _, p := range src.Parts {
		b.part(p, false)
	}
	return b.finish()
}

// Single expands a word that is one word whatever happens: an assigned value,
// a here-document, the target of a redirection.
func (x *Expander) Single(src *syntax.Word, sc *shell.Scope, parts *[]finding.Part) shell.Word {
	if src == nil {
		return shell.Word{}
	}
	b := fieldBuilder{x: x, sc: sc, parts: parts, whole: true}
	b.cur.Src = src
	for _, p := range src.Parts {
		b.part(p, false)
	}
	return b.cur
}

// Hdoc expands a here-document's body, which is read as if in double quotes.
func (x *Expander) Hdoc(r *syntax.Redirect, sc *shell.Scope, parts *[]finding.Part) shell.Word {
	b := fieldBuilder{x: x, sc: sc, parts: parts, whole: true}
	if r.Hdoc == nil {
		return b.cur
	}
	raw := quotedWord(r.Word)
	for _, p := range r.Hdoc.Parts {
		if l, ok := p.(*syntax.Lit); ok && raw {
			b.cur.Text += l.Value
			continue
		}
		b.part(p, true)
	}
	return b.cur
}

func (b *fieldBuilder) part(p syntax.WordPart, quoted bool) {
	if b.pieces++; b.pieces > maxPieces {
		b.cur.Text, b.cur.Multi = match.Hole, true
		b.x.Expanded = MaxExpanded + 1
	}
	switch p := p.(type) {
	case *syntax.Lit:
		b.literal(p.Value, quoted)
	case *syntax.SglQuoted:
		b.begun = true
		if p.Dollar {
			text, _ := shell.Escapes(p.Value, true)
			b.cur.Text += text
		} else {
			b.cur.Text += p.Value
		}
	case *syntax.DblQuoted:
		b.begun = true
		for _, q := range p.Parts {
			b.part(q, true)
		}
	case *syntax.ParamExp:
		v := b.x.param(p, b.sc, b.parts)
		if several(p) && len(v.List) > 0 && !b.whole {
			b.words(v)
			return
		}
		b.value(v, quoted, several(p))
	case *syntax.CmdSubst:
		b.x.Captured++ // what it prints is kept and not shown
		out := b.x.List(p.Stmts, b.sc, b.parts)
		b.x.Captured--
		v := shell.Value{Text: match.Hole, From: out.Bits, Cmd: true}
		if out.Known {
			v.Text = strings.TrimRight(out.Text, "\n")
		}
		b.value(v, quoted, false)
	case *syntax.ProcSubst:
		out := b.x.List(p.Stmts, b.sc, b.parts)
		// The word is a path; what can be read there is the output of the commands.
		b.cur.Text += "/dev/fd/" + match.Hole
		if p.Op == syntax.CmdIn && out.Known && b.cur.Text == "/dev/fd/"+match.Hole {
			b.cur.Printed = out.Text
		}
		b.cur.From |= out.Bits | shell.FromPipe
	case *syntax.ArithmExp:
		b.x.Inside(p, b.sc, b.parts)
		b.cur.Text += match.Hole
	case *syntax.ExtGlob:
		b.cur.Text += "*"
		if !everyMatch(p) {
			b.cur.Text += match.Hole
		}
		b.cur.Glob = true
	default:
		b.cur.Text, b.cur.Multi = b.cur.Text+match.Hole, true
	}
}

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

// Inside classifies the commands in a node that isn't itself one: a test, an
// arithmetic expression, the word of an expansion.
func (x *Expander) Inside(node syntax.Node, sc *shell.Scope, parts *[]finding.Part) {
	if shell.Empty(node) {
		return
	}
	syntax.Walk(node, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			x.List(n.Stmts, sc, parts)
			return false
		case *syntax.ProcSubst:
			x.List(n.Stmts, sc, parts)
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
