package classify

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// everyMatch reports whether an extended pattern matches all names: one of its alternatives does,
// or what !(.git|.env) leaves out are names that no pattern matches without a dot.
func everyMatch(p *syntax.ExtGlob) bool {
	list := strings.Split(p.Pattern.Value, "|")
	if p.Op == syntax.GlobExcept {
		return !slices.ContainsFunc(list, func(name string) bool {
			return name != "" && name[0] != '.'
		})
	}
	return slices.ContainsFunc(list, everyName)
}

// plainPattern reports whether a pattern expands variables at most, and ends where the
// parser says.
func plainPattern(text string) bool {
	return !substitutes(text) && !strings.ContainsAny(text, "<>\\'\"") &&
		!strings.Contains(text, "${")
}
