package classify

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A quoting is what single quotes mean at a place.
type quoting int

const (
	keeps  quoting = iota // they quote: what stands in them is no code
	letter                // they are letters, and commands between them run
	unsure                // shells don't agree
)

// misquotes adds the single quotes that the parser takes for such where the shell takes
// them for letters: in double quotes, here-documents, subscripts, slices and arithmetic,
// and there in the words of ${x:-WORD} and its like (POSIX, Shell Command Language,
// 2.2.3; bash(1), ARITHMETIC EVALUATION). TestQuotesAgainstShells asks the shells.
func misquotes(f *syntax.File, text string, zsh bool, add func(misread)) {
	in := []quoting{keeps}
	set := map[syntax.Node]quoting{} // where a place says what its words are
	syntax.Walk(f, func(n syntax.Node) bool {
		if n == nil {
			in = in[:len(in)-1]
			return true
		}
		q, ok := set[n]
		if !ok {
			q = in[len(in)-1]
		}
		switch n := n.(type) {
		case *syntax.DblQuoted, *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.CStyleLoop:
			q = letter
		case *syntax.CmdSubst, *syntax.ProcSubst:
			q = keeps
		case *syntax.Redirect:
			if n.Hdoc != nil {
				set[n.Hdoc] = letter
			}
		case *syntax.Assign:
			setAll(set, letter, n.Index)
		case *syntax.ArrayElem:
			setAll(set, letter, n.Index)
		case *syntax.ParamExp:
			quotingOfParam(n, q, zsh, set)
		case *syntax.SglQuoted:
			misquote(n, q, add)
		case *syntax.Lit:
			// Arithmetic of zsh, which the parser does not know.
			if at := int(n.Pos().Offset()); zsh && strings.Contains(text[at:min(len(text),
				int(n.End().Offset())+1)], "$[") {
				add(misread{at: at, lost: true})
			}
		}
		in = append(in, q)
		return true
	})
}

// numbers adds what stands for commands in the quoted texts that the shell takes for
// numbers: it evaluates a subscript in them (bash(1), ARITHMETIC EVALUATION), wherever they
// come from.
func (w *walker) numbers(f *syntax.File, parts *[]Part) {
	in, set := []bool{false}, map[syntax.Node]bool{}
	syntax.Walk(f, func(n syntax.Node) bool {
		if n == nil {
			in = in[:len(in)-1]
			return true
		}
		number := in[len(in)-1] || set[n]
		text := ""
		switch n := n.(type) {
		// What is inside is evaluated as a number, up to the next substitution.
		case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.CStyleLoop, *syntax.LetClause:
			number = true
		case *syntax.CmdSubst, *syntax.ProcSubst:
			number = false
		// declare -i NAME=TEXT takes the text for a number.
		case *syntax.DeclClause:
			number = slices.ContainsFunc(n.Args, func(a *syntax.Assign) bool {
				return a.Naked && a.Value != nil && strings.HasPrefix(a.Value.Lit(), "-") &&
					strings.Contains(a.Value.Lit(), "i")
			})
		case *syntax.BinaryTest:
			number = n.Op >= syntax.TsEql && n.Op <= syntax.TsGtr
		case *syntax.ParamExp:
			setAll(set, true, n.Index)
			if n.Slice != nil {
				setAll(set, true, n.Slice.Offset, n.Slice.Length)
			}
		case *syntax.Assign:
			setAll(set, true, n.Index)
		case *syntax.ArrayElem:
			setAll(set, true, n.Index)
		case *syntax.SglQuoted:
			text = n.Value
		case *syntax.Lit:
			text = strings.ReplaceAll(n.Value, `\`, "")
		}
		if lit, ok := n.(*syntax.Lit); ok && number && (strings.Contains(lit.Value, `\$`) ||
			strings.Contains(lit.Value, "\\`")) { // which arithmetic sees without the backslash
			w.unread(parts, n, "word:subscript", "arithmetic runs the commands in a quoted subscript")
		} else if _, index, found := strings.Cut(text, "["); number && found && substitutes(index) {
			w.unread(parts, n, "word:subscript",
				"arithmetic runs the commands in a quoted subscript")
		}
		in = append(in, number)
		return true
	})
}

// setAll says of nodes, of which some may be none, what they are.
func setAll[V any](set map[syntax.Node]V, v V, nodes ...syntax.Node) {
	for _, n := range nodes {
		if !empty(n) {
			set[n] = v
		}
	}
}

// quotingOfParam says what single quotes mean in the words of an expansion that stands
// where they mean q.
func quotingOfParam(p *syntax.ParamExp, q quoting, zsh bool, set map[syntax.Node]quoting) {
	setAll(set, letter, p.Index)
	if p.Slice != nil {
		setAll(set, letter, p.Slice.Offset, p.Slice.Length)
	}
	pattern, with := q, q
	if q == letter {
		pattern, with = keeps, unsure
	}
	if zsh && q == letter {
		pattern = unsure // they quote, and a brace in them ends the expansion
	}
	if p.Exp != nil {
		switch p.Exp.Op {
		case syntax.AlternateUnset, syntax.AlternateUnsetOrNull, syntax.DefaultUnset,
			syntax.DefaultUnsetOrNull, syntax.ErrorUnset, syntax.ErrorUnsetOrNull,
			syntax.AssignUnset, syntax.AssignUnsetOrNull:
			setAll(set, q, p.Exp.Word)
		default:
			setAll(set, pattern, p.Exp.Word)
			nestedIn(set, q, p.Exp.Word)
		}
	}
	if p.Repl != nil {
		setAll(set, pattern, p.Repl.Orig)
		setAll(set, with, p.Repl.With)
		nestedIn(set, q, p.Repl.Orig)
		nestedIn(set, q, p.Repl.With)
	}
}

// nestedIn says of the expansions in a pattern, which stands where single quotes mean q.
func nestedIn(set map[syntax.Node]quoting, q quoting, pattern *syntax.Word) {
	if pattern == nil || q == keeps {
		return
	}
	for _, part := range pattern.Parts {
		if p, ok := part.(*syntax.ParamExp); ok {
			set[p] = unsure
		}
	}
}

// misquote adds a quoted text that is none, if that makes a difference.
func misquote(n *syntax.SglQuoted, q quoting, add func(misread)) {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	switch {
	case q == keeps:
		return
	case q == unsure && (strings.ContainsAny(n.Value, "$`}\"") ||
		strings.HasSuffix(n.Value, `\`) || strings.Contains(n.Value, `\'`)):
		add(misread{at: from, lost: true})
		return
	case q == unsure, !strings.ContainsAny(n.Value, "$`\"\\{}[]()"):
		return
	}
	with := `\'` + n.Value + `\'`
	if n.Dollar {
		with = `\$` + with
	}
	add(misread{at: from, old: to - from, with: with, two: !staysInside(n.Value)})
}

// staysInside reports whether a text is the same piece of its word whether the quotes around
// it quote or are letters. bash takes them for quotes where it looks for the end of
// "${x-'}'}", and POSIX shells, and bash as sh, do not: for these the expansion ends earlier.
func staysInside(text string) bool {
	f, err := syntax.NewParser().Parse(strings.NewReader(`"`+text+`"`), "")
	if err != nil || len(f.Stmts) != 1 {
		return false
	}
	call, ok := f.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(f.Stmts[0].Redirs) > 0 || len(call.Args) != 1 || len(call.Args[0].Parts) != 1 {
		return false
	}
	whole, ok := call.Args[0].Parts[0].(*syntax.DblQuoted)
	return ok && !slices.ContainsFunc(whole.Parts, func(p syntax.WordPart) bool {
		lit, ok := p.(*syntax.Lit)
		return ok && strings.Contains(lit.Value, "}")
	})
}

// hangsOut reports whether the parser finds the text of a here-document behind the substitution
// in which it begins. Most shells end it there, with no text.
func hangsOut(subst syntax.Node, list []*syntax.Stmt) (out bool) {
	for _, s := range list {
		syntax.Walk(s, func(n syntax.Node) bool {
			r, ok := n.(*syntax.Redirect)
			out = out || ok && r.Hdoc != nil && r.Hdoc.Pos().Offset() >= subst.End().Offset()
			return !out
		})
	}
	return out
}

// endsEarlier reports whether the shell finds the end of a here-document before the parser
// does: the parser looks for it behind an expansion only, and the shell in each line, joined
// to the next where it ends in a backslash (POSIX, Shell Command Language, 2.7.4).
func endsEarlier(r *syntax.Redirect, text string) bool {
	end := text[r.Word.Pos().Offset():r.Word.End().Offset()]
	if strings.ContainsAny(end, `\'"`) {
		return false // its lines stand for themselves
	}
	body := text[r.Hdoc.Pos().Offset():r.Hdoc.End().Offset()]
	body = strings.TrimSuffix(body, end) // which the parser counts with it
	for _, lines := range []string{body, strings.ReplaceAll(body, "\\\n", "")} {
		for line := range strings.SplitSeq(lines, "\n") {
			if r.Op == syntax.DashHdoc {
				line = strings.TrimLeft(line, "\t")
			}
			if line == end {
				return true
			}
		}
	}
	return false
}
