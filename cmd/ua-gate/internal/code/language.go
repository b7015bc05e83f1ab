package code

import "strings"

// A language is what the lexer and the reader have to know about one.
type language struct {
	name    string
	line    string   // what begins a comment up to the end of the line, parted by spaces
	block   []string // what begins and ends other comments
	quotes  string   // the quotes of texts
	triple  bool     // """ is a quote too
	fill    string   // what begins code in a text: "#{", "${", "{", "$"
	shell   byte     // the quote around a command: ` in Ruby and Perl
	regexp  bool     // a slash may begin a pattern
	sigils  string   // what may begin a name, besides letters
	tails   string   // what may end a name, besides letters and digits
	inside  string   // what may stand in a name, besides letters and digits
	members string   // what parts the pieces of a name, parted by spaces
	bare    bool     // a call may have no brackets
	escape  bool     // texts in single quotes know no escapes
	lines   bool     // a line's end ends a statement
}

// languageOf returns the language of that name, and false for one that nobody can read.
func languageOf(name string) (language, bool) {
	l := language{name: name, line: "#", quotes: `"'`, members: ".", lines: true}
	switch name {
	case "python":
		l.triple, l.fill = true, "{"
	case "node":
		l.line, l.block, l.quotes, l.fill = "//", []string{"/*", "*/"}, "\"'`", "${"
		l.regexp, l.sigils, l.inside, l.members = true, "$#", "$", ". ?."
	case "ruby":
		l.fill, l.shell, l.regexp, l.sigils, l.tails = "#{", '`', true, "$@", "?!"
		l.members, l.bare, l.escape = ". :: &.", true, true
	case "perl":
		l.fill, l.shell, l.regexp, l.sigils = "$", '`', true, "$@%&"
		l.members, l.bare, l.escape, l.lines = ":: ->", true, true, false
	default:
		return l, false
	}
	return l, true
}

// memberAt returns the mark between the pieces of a name with which the text begins, or
// "".
func (l *language) memberAt(text string) string {
	longest := ""
	for m := range strings.FieldsSeq(l.members) {
		if strings.HasPrefix(text, m) && len(m) > len(longest) {
			longest = m
		}
	}
	return longest
}
