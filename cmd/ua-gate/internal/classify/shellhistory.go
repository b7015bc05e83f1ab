package classify

import "mvdan.cc/sh/v3/syntax"

// recalls finds what an interactive shell takes from its history: an exclamation
// mark, but before a blank, "=", "(" or the end of a quoted text, and in $!, ${!
// and [! (bash(1), HISTORY EXPANSION; zshexpn(1)).
var recalls = regex{text: `(?:^|[^\\$\[{])![^ \t\n=("]|(?:^|[\s;&|(])!"`}

// typed is the rule for what an interactive shell reads otherwise than a script:
// lines of its history, which nobody has seen here, and in zsh comments, which
// are commands unless interactive_comments is set (zshoptions(1)).
func (w *walker) typed(s *script, parts *[]Part) {
	text := []byte(s.text)
	comment := false
	syntax.Walk(s.File, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Comment:
			comment = true
		case *syntax.SglQuoted:
			for i := int(n.Pos().Offset()); !n.Dollar && i < int(n.End().Offset()) &&
				i < len(text); i++ {
				text[i] = ' '
			}
		}
		return true
	})
	if recalls.get().Match(text) {
		w.unread(parts, nil, "dialect:history", "the shell takes a line of its history")
	}
	if comment && w.o.Shell == "zsh" {
		w.unread(parts, nil, "dialect:comment", "zsh may run what stands in a comment")
	}
}
