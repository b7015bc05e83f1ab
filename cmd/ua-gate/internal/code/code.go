// Package code says what a text in a programming language does to the world around it:
// the files that it opens, the commands that it runs, the machines that it talks to. It
// reads words, texts and brackets, but no grammar. What a name means is data (names.txt):
// each name in the text has to be listed or to be the text's own, and what is neither may
// do anything. So no list of what is bad has to be complete.
//
// A lexer divides the text into tokens (lex.go, quote.go, special.go), and gives up where
// it could be wrong (doubt.go). A reader goes through the tokens (read.go). It follows
// imports (imports.go) and the values of variables (value.go), and looks each name up in
// the lists of the language (names.go, meaning.go).
package code

import "strings"

// A Kind says what an act does.
type Kind uint8

const (
	Unknown Kind = iota // something that nobody can foretell
	Load                // it runs code of the project, of a package, or that no list has
	Read                // it reads a file
	Write               // it makes or changes a file
	Delete              // it loses a file, or what is in it
	Shell               // it runs a text as a shell command
	Argv                // it runs a program with arguments
	Net                 // it talks to other machines
	Env                 // it reads a variable of the environment
	SQL                 // it runs a statement of a database
)

// An Act is one thing that a text does.
type Act struct {
	Kind Kind
	Name string   // the call, as it is known by: "os.remove"
	Args []string // the path, the words or the text; NUL bytes stand for what is not known
}

// InText is the name of an act of which only the path is known, because it is in the
// text.
const InText = "a path in the text"

// Hole stands in an argument for a piece of unknown value.
const Hole = "\x00"

// Acts returns what the text does. It returns false if the language is not known or the
// text is not whole, so that nothing can be said of it.
func Acts(language, text string) ([]Act, bool) {
	l, ok := languageOf(language)
	if !ok {
		return nil, false
	}
	x := lexer{lang: l, text: text}
	tokens, ok := x.all()
	if !ok {
		return nil, false
	}
	r := reader{lang: l, names: namesOf(l.name), alias: map[string]string{},
		vars: map[string]string{}, own: map[string]bool{}}
	r.binds(tokens)
	r.read(tokens)
	r.finish()
	return r.acts, true
}

// Knows reports whether Acts can read texts of the language.
func Knows(language string) bool {
	_, ok := languageOf(language)
	return ok
}

// Standard reports whether a module of that name is part of the language.
func Standard(language, module string) bool { return namesOf(language).has("std", module) }

// has reports whether a list of words, parted by single spaces and with one at each end, has the
// word.
func has(list, word string) bool { return word != "" && strings.Contains(list, " "+word+" ") }
