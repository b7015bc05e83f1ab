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
	shell   byte     // the quote around a command: ` in Ruby, Perl, PHP and Julia
	regexp  bool     // a slash may begin a pattern
	sigils  string   // what may begin a name, besides letters
	tails   string   // what may end a name, besides letters and digits
	inside  string   // what may stand in a name, besides letters and digits
	members string   // what parts the pieces of a name, parted by spaces
	bare    bool     // a call may have no brackets
	escape  bool     // texts in single quotes know no escapes
	strict  bool     // a name that is not listed as harmless is not harmless
	trusts  bool     // but its lists of what is not harmless are closed: see trusted
	emacs   bool     // the Lisp is that of Emacs
	lines   bool     // a line's end ends a statement
}

// languageOf returns the language of that name, and false for one that nobody can read.
func languageOf(name string) (language, bool) {
	emacs := name == "emacs"
	if emacs {
		name = "lisp"
	}
	l := language{name: name, emacs: emacs, line: "#", quotes: `"'`, members: ".", lines: true}
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
	case "php":
		l.line, l.block, l.fill, l.shell = "# //", []string{"/*", "*/"}, "$", '`'
		l.sigils, l.members, l.escape, l.bare, l.lines = "$", "-> :: \\ ?->", true, true, false
	case "lua":
		l.line, l.block, l.members, l.bare = "--", []string{"--[[", "]]"}, ". :", true
	case "r":
		l.quotes, l.inside, l.members = "\"'", ".", ":: ::: $"
	case "julia":
		l.block, l.triple, l.fill, l.shell = []string{"#=", "=#"}, true, "$", '`'
		l.quotes, l.tails, l.sigils = `"`, "!", "@"
	case "elixir":
		l.fill, l.tails, l.triple, l.sigils, l.bare = "#{", "?!", true, "@", true
	case "erlang":
		l.line, l.members, l.lines = "%", ":", false
	// From here on the languages are strict: a name that no list calls harmless is not.
	case "groovy", "scala", "kotlin", "swift", "java":
		l.strict, l.trusts, l.line, l.triple, l.fill = true, true, "//", true, "${"
		if l.block = []string{"/*", "*/"}; name == "swift" {
			l.quotes, l.fill = `"`, ""
		}
	case "lisp":
		l.strict, l.trusts, l.line, l.quotes, l.inside = true, !emacs, ";", `"`, "-?!*<>=/.+%&"
		l.members, l.block = "", []string{"#|", "|#"}
	case "haskell":
		l.strict, l.trusts, l.line, l.quotes, l.inside = true, true, "", `"`, "'"
		l.block = []string{"{-", "-}"}
	case "ocaml":
		l.strict, l.trusts, l.line, l.quotes, l.inside = true, true, "", `"`, "'"
	case "octave":
		l.strict, l.trusts, l.line, l.escape = true, true, "% #", true
	case "tcl":
		l.strict, l.trusts, l.line, l.quotes = true, true, "", `"`
	case "gnuplot":
		l.strict, l.line = true, ""
	case "prolog":
		l.strict, l.trusts, l.line, l.block = true, true, "%", []string{"/*", "*/"}
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
