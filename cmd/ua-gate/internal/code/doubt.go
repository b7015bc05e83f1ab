package code

import (
	"slices"
	"strings"
)

// doubtful reports whether a text may begin or end here in a way that the lexer does not
// follow. What follows could then be code where the lexer sees a text, so that nothing
// can be said of it. Here-documents, raw texts, characters such as ?', and a slash that
// may divide or begin a pattern are of this kind.
func (x *lexer) doubtful(glued bool) bool {
	rest := x.rest()
	begins := func(marks ...string) bool { return beginsWith(rest, marks) }
	atLine := x.pos == 0 || x.text[x.pos-1] == '\n'
	prev := x.last()
	switch x.lang.name {
	case "ruby", "perl":
		// "<<" also shifts and appends; a here-document goes on with one of these.
		here := begins("<<") && strings.IndexByte("~-\"'`ABCDEFGHIJKLMNOPQRSTUVWXYZ_",
			(rest + "  ")[2]) >= 0
		old := x.lang.name == "perl" && begins("'") && glued && prev.kind == word
		if here || old || atLine && begins("=") || begins("?'", "?\"", "?`") || begins("format ") {
			return true
		}
		// A slash matters only if a quote follows it: whether that begins a text depends
		// on the slash.
		return begins("/") && prev.kind == word && x.value() &&
			strings.IndexByte("$@%&", prev.text[0]) < 0 && x.quoteInLine()
	// A backslash outside of texts writes a letter of a name by its number.
	case "node":
		if begins("<!--", "-->", "\\") {
			return true
		}
		unclear := prev.is("}") || prev.is(")") || prev.is("+") || prev.is("-") ||
			prev.kind == word && strings.Contains(" of await yield in ", " "+prev.text+" ")
		return begins("/") && !begins("//", "/*") && unclear && x.quoteInLine()
	}
	return false
}

// quoteInLine reports whether there is a quote in the rest of the line.
func (x *lexer) quoteInLine() bool {
	line, _, _ := strings.Cut(x.rest(), "\n")
	return strings.ContainsAny(line, "\"'`")
}

// beginsWith reports whether a text begins with one of the marks.
func beginsWith(text string, marks []string) bool {
	return slices.ContainsFunc(marks, func(m string) bool { return strings.HasPrefix(text, m) })
}
