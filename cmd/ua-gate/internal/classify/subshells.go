package classify

import (
	"errors"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// subshellsIn returns where two brackets that the parser takes for the beginning of arithmetic
// have to stand apart, so that it takes them for two subshells as the shell does, or -1. The
// shell looks for the bracket that closes the second one: (( and $(( are arithmetic if another
// one follows it at once (parse_dparen in bash's parse.y, chk_arithsub in its subst.c).
func subshellsIn(text string, err error) int {
	var where syntax.ParseError
	if !errors.As(err, &where) {
		return -1
	}
	// The parser gives the place of the brackets, or of what is no arithmetic in them.
	end := min(int(where.Pos.Offset())+len("$(("), len(text))
	for at := end; ; {
		if at = strings.LastIndex(text[:at], "(("); at < 0 {
			return -1
		}
		if !closedTwice(text[at+2:]) {
			return at + 1
		}
	}
}

// closedTwice reports whether the bracket that closes the one before the text has another one
// right behind it, or none is there.
func closedTwice(text string) bool {
	depth := 1
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\\':
			i++
		case '\'', '"', '`':
			i += quotedEnd(text[i+1:], c) + 1
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return strings.HasPrefix(text[i+1:], ")")
			}
		}
	}
	return true
}

// quotedEnd returns where the quote ends that stands before the text.
func quotedEnd(text string, quote byte) int {
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == quote:
			return i
		case text[i] == '\\' && quote != '\'':
			i++
		}
	}
	return len(text)
}
