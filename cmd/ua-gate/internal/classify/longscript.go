package classify

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A leftOut is what the parser does not get to see of a long script: the body of
// a here-document that is data, or the rest of a comment.
type leftOut struct {
	line int    // where it begins, from 1
	col  int    // of a comment's hash, from 1; 0 for a body
	body string // of the here-document
}

// parseLong reads a script that is too long with its data: files that agents
// write by here-documents have hundreds of kilobytes. Bodies without expansions
// and comments are guessed from the lines and left out; then the tree must show
// a body or a comment in each of those places, or the guess was wrong and that
// place is left in. The parser reads from left to right, so a body that it skips
// empty is one that it would have skipped full.
func (o *Options) parseLong(text string) (script, *unread) {
	keep := map[int]bool{}
	for range 4 {
		short, left := withoutData(text, keep)
		if why := tooLong(short); why != nil {
			return script{}, why
		}
		s, why := o.parseAll(short)
		if why == nil {
			wrong := unconfirmed(s.File, left)
			if len(wrong) == 0 {
				return s, nil
			}
			left = wrong
		}
		if len(left) == 0 {
			return s, why
		}
		for _, l := range left {
			keep[l.line] = true
		}
	}
	return script{}, tooLong(text)
}

// opens finds the start of a here-document in a line, with the word that ends it:
// quoted in one of three ways, or bare.
var opens = regex{text: `<<(-?)[ \t]*(?:'([^']+)'|"([^"$\\` + "`" + `]+)"|\\([\w.]+)|([\w.]+))`}

// hash finds what may be a comment in a line.
var hash = regex{text: `(?:^|[ \t;])(#)`}

// withoutData returns the text with the bodies of its here-documents emptied and its
// comments cut short, line by line, and what was left out; the lines in keep
// stay as they are.
func withoutData(text string, keep map[int]bool) (string, []leftOut) {
	var b strings.Builder
	var left []leftOut
	lines := strings.SplitAfter(text, "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if m := hash.get().FindStringSubmatchIndex(line); m != nil && !keep[i+1] &&
			!strings.HasSuffix(line, "\\\n") {
			left = append(left, leftOut{line: i + 1, col: m[2] + 1})
			line = line[:m[3]] + "\n"
		}
		b.WriteString(line)
		m := opens.get().FindStringSubmatch(line)
		if m == nil || keep[i+2] {
			continue
		}
		word := m[2] + m[3] + m[4] + m[5]
		n := bodyLines(lines[i+1:], word, m[1] == "-")
		body := strings.Join(lines[i+1:i+1+max(n, 0)], "")
		if n <= 0 || m[5] != "" && strings.ContainsAny(body, "$`\\") {
			continue
		}
		left = append(left, leftOut{line: i + 2, body: body})
		b.WriteString(emptied(n))
		i += n
	}
	return b.String(), left
}

// emptied returns what the parser sees of a body of n lines.
func emptied(n int) string { return "/" + strings.Repeat("\n", n) }

// bodyLines returns how many lines stand before the one that is the word alone, -1 if
// there is none.
func bodyLines(lines []string, word string, tabs bool) int {
	for n, l := range lines {
		if l = strings.TrimSuffix(l, "\n"); tabs {
			l = strings.TrimLeft(l, "\t")
		}
		if l == word {
			return n
		}
	}
	return -1
}

// unconfirmed returns those of what was left out where the tree has neither an empty
// body nor a comment. The bodies that it has get their text back.
func unconfirmed(f *syntax.File, left []leftOut) (wrong []leftOut) {
	comments, bodies := map[[2]int]bool{}, map[int]*syntax.Word{}
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Comment:
			comments[[2]int{int(n.Hash.Line()), int(n.Hash.Col())}] = true
		case *syntax.Redirect:
			if n.Hdoc != nil {
				bodies[int(n.Hdoc.Pos().Line())] = n.Hdoc
			}
		}
		return true
	})
	for _, l := range left {
		body := bodies[l.line]
		switch {
		case l.col > 0 && comments[[2]int{l.line, l.col}]:
		case l.col == 0 && body != nil && strings.TrimRight(body.Lit(),
			"\t") == emptied(strings.Count(l.body, "\n")):
			text := l.body
			if tooLong(text) != nil {
				text = hole
			}
			body.Parts = []syntax.WordPart{&syntax.Lit{Value: text}}
		default:
			wrong = append(wrong, l)
		}
	}
	return wrong
}
