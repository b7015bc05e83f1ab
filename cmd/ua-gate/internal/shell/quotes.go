package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"ua/cmd/ua-gate/internal/match"
)

// misquotes reports single quotes that the parser takes for such where some shell takes
// them for letters: in double quotes, here-documents, subscripts, slices and arithmetic
// (POSIX, Shell Command Language, 2.2.3; bash(1), ARITHMETIC EVALUATION), if what stands in
// them could then be more than text. Where the shell expects a number it evaluates a subscript in
// it, with the commands there, whatever quotes are around (TestQuotesAgainstShells).
func misquotes(f *syntax.File) (found bool) {
	type context struct{ letters, number bool }
	in, set := []context{{}}, map[syntax.Node]bool{}
	syntax.Walk(f, func(n syntax.Node) bool {
		if n == nil {
			in = in[:len(in)-1]
			return true
		}
		c := in[len(in)-1]
		c.letters, c.number = c.letters || set[n], c.number || set[n]
		switch n := n.(type) {
		case *syntax.DblQuoted:
			c.letters = true
		case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.CStyleLoop, *syntax.LetClause:
			c.letters, c.number = true, true
		case *syntax.DeclClause: // declare -i NAME=TEXT
			c.number = slices.ContainsFunc(n.Args, func(a *syntax.Assign) bool {
				return a.Naked && a.Value != nil && strings.HasPrefix(a.Value.Lit(), "-") &&
					strings.Contains(a.Value.Lit(), "i")
			})
		case *syntax.BinaryTest:
			c.number = n.Op >= syntax.TsEql && n.Op <= syntax.TsGtr
		case *syntax.UnaryTest: // [[ -v NAME ]]
			c.number = c.number || n.Op == syntax.TsVarSet
		case *syntax.CmdSubst, *syntax.ProcSubst:
			c = context{}
		case *syntax.Redirect:
			if n.Hdoc != nil {
				c.letters = true
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
			if c.letters && strings.ContainsAny(n.Value, "$`\"\\{}[]()") ||
				c.number && Substitutes(n.Value) {
				found = true
			}
		case *syntax.Lit:
			if c.number && (strings.Contains(n.Value, `\$`) || strings.Contains(n.Value, "\\`")) {
				found = true
			}
		}
		in = append(in, c)
		return true
	})
	return found
}

// setAll marks those of the nodes that there are.
func setAll(set map[syntax.Node]bool, nodes ...syntax.Node) {
	for _, n := range nodes {
		if !Empty(n) {
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

// Empty reports whether there is no node, in an interface or out of it.
func Empty(node syntax.Node) bool {
	w, word := node.(*syntax.Word)
	return node == nil || word && w == nil
}

// Substitutes reports whether the text would run a command if it were expanded.
func Substitutes(text string) bool {
	return strings.Contains(text, "$(") || strings.Contains(text, "`") || strings.Contains(text, "<(")
}

// plainPattern reports whether a pattern expands variables at most, and ends where the
// parser says.
func plainPattern(text string) bool {
	return !Substitutes(text) && !strings.ContainsAny(text, "<>\\'\"") &&
		!strings.Contains(text, "${")
}

const simpleEscapes = "a\ab\be\x1bE\x1bf\fn\nr\rt\tv\v\\\\"

// Escapes decodes the backslashes of $'…', of echo -e, of printf's format and of strings of awk,
// as far as all of them agree: a character by its number is a hole. Only some take the backslash
// away before a quote. It reports whether bash decodes the text so (TestEscapesAgainstBash).
func Escapes(s string, quotes bool) (string, bool) {
	if !strings.Contains(s, "\\") {
		return s, true
	}
	var out strings.Builder
	sure := true
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			out.WriteByte(s[i])
			continue
		}
		i++
		switch k := strings.IndexByte(simpleEscapes, s[i]); {
		case strings.IndexByte("01234567xuUc", s[i]) >= 0:
			for sure = false; i+1 < len(s) && strings.IndexByte("0123456789abcdefABCDEF{}",
				s[i+1]) >= 0; i++ {
			}
			out.WriteString(match.Hole)
		case k >= 0 && k%2 == 0:
			out.WriteByte(simpleEscapes[k+1])
		case strings.IndexByte(`'"?`, s[i]) >= 0:
			sure = sure && quotes
			out.WriteByte(s[i])
		default:
			out.WriteString(s[i-1 : i+1])
		}
	}
	return out.String(), sure
}
