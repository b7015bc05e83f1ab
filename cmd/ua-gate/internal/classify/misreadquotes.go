package classify

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// misquotes adds the single quotes that the parser takes for such where some shell takes
// them for letters: in double quotes, here-documents, subscripts, slices and arithmetic
// (POSIX, Shell Command Language, 2.2.3; bash(1), ARITHMETIC EVALUATION), if what stands in
// them could then be more than text. TestQuotesAgainstShells asks the shells.
func misquotes(f *syntax.File, add func(at int, with string)) {
	in, set := []bool{false}, map[syntax.Node]bool{}
	syntax.Walk(f, func(n syntax.Node) bool {
		if n == nil {
			in = in[:len(in)-1]
			return true
		}
		letters := in[len(in)-1] || set[n]
		switch n := n.(type) {
		case *syntax.DblQuoted, *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.CStyleLoop:
			letters = true
		case *syntax.CmdSubst, *syntax.ProcSubst:
			letters = false
		case *syntax.Redirect:
			if n.Hdoc != nil {
				set[n.Hdoc] = true
			}
		case *syntax.Assign:
			setAll(set, n.Index)
		case *syntax.ArrayElem:
			setAll(set, n.Index)
		case *syntax.ParamExp:
			setAll(set, n.Index)
			if n.Slice != nil {
				setAll(set, n.Slice.Offset, n.Slice.Length)
			}
		case *syntax.SglQuoted:
			if letters && strings.ContainsAny(n.Value, "$`\"\\{}[]()") {
				add(int(n.Pos().Offset()), "")
			}
		}
		in = append(in, letters)
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
			setAll(set, n.Index)
			if n.Slice != nil {
				setAll(set, n.Slice.Offset, n.Slice.Length)
			}
		case *syntax.Assign:
			setAll(set, n.Index)
		case *syntax.ArrayElem:
			setAll(set, n.Index)
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

// setAll marks those of the nodes that there are.
func setAll(set map[syntax.Node]bool, nodes ...syntax.Node) {
	for _, n := range nodes {
		if !empty(n) {
			set[n] = true
		}
	}
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
