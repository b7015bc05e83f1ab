package code

import (
	"strings"
	"unicode/utf8"
)

// character takes a character's literal, which may hold a quote: 'x' in Haskell and OCaml, #\x in
// Scheme and Common Lisp, \x in Clojure, ?x in Emacs Lisp, 0'x in Prolog, $x in Erlang; and a
// quote that is no text's: that of a name or a type, or Octave's sign of a transposed matrix.
func (x *lexer) character(glued bool) bool {
	rest := x.rest()
	size := 0
	switch x.lang.name {
	case "haskell", "ocaml":
		if rest[0] != '\'' {
			return false
		}
		if size = 1; len(rest) > 2 && rest[1] == '\\' {
			if end := strings.IndexByte(rest[3:min(len(rest), 13)], '\''); end >= 0 {
				size = end + 4
			}
		} else if len(rest) > 2 && rest[2] == '\'' {
			size = 3
		}
	case "octave":
		if x.last().kind == str && x.text[x.pos-1] == '\'' {
			return false // a quote that is written twice
		}
		if rest[0] != '\'' || !glued || !x.value() && !x.last().is("'") && !x.last().is("}") {
			return false
		}
		x.add(mark, "'", glued)
		x.pos++
		return true
	case "prolog":
		t := x.last()
		if rest[0] != '\'' || !glued || t.kind != number || t.text != "0" {
			return false
		}
		if size = 2; strings.HasPrefix(rest, `'\`) || strings.HasPrefix(rest, "''") {
			size = 3
		}
	case "erlang":
		if rest[0] != '$' || len(rest) < 2 {
			return false
		}
		if size = 2; rest[1] == '\\' {
			size = 3
		}
	case "elixir":
		if rest[0] != '?' || len(rest) < 2 {
			return false
		}
		if size = 2; rest[1] == '\\' {
			size = 3
		}
	case "ruby":
		if size = x.rubyCharacter(rest, glued); size <= 0 {
			return size < 0 && x.lost()
		}
	case "julia":
		if size = juliaCharacter(rest); size == 0 || glued && x.value() {
			return false
		}
	case "lisp":
		return x.lispCharacter(rest, glued)
	default:
		return false
	}
	x.pos += min(size, len(rest))
	if size > 1 {
		x.add(number, "0", glued)
	} else {
		x.add(mark, "'", glued)
	}
	return true
}

// rubyCharacter returns the size of a character like ?" here, 0 if there is none, and -1 if the
// sign may also be a condition's: one behind a name, which may be a method that gets the
// character.
func (x *lexer) rubyCharacter(rest string, glued bool) int {
	if len(rest) < 2 || rest[0] != '?' || strings.IndexByte("#\"'`/%\\", rest[1]) < 0 {
		return 0
	}
	behind := x.value()
	switch {
	case rest[1] == '\\' && (!behind || !glued):
		return 3
	case rest[1] == '#', !behind:
		return 2
	case x.last().kind == word && !glued:
		return -1
	}
	return 0
}

// juliaCharacter returns the size of a character like '#', or 0.
func juliaCharacter(rest string) int {
	if rest[0] != '\'' || len(rest) < 3 {
		return 0
	}
	from := 1
	if rest[1] == '\\' {
		from = 2
	}
	_, size := utf8.DecodeRuneInString(rest[from:])
	end := strings.IndexByte(rest[min(from+size, len(rest)):min(len(rest), 13)], '\'')
	if end < 0 || from == 1 && end > 0 {
		return 0
	}
	return from + size + end + 1
}

// lispCharacter takes #\x, \x and ?x. A name behind a backslash is read as a name: in Common
// Lisp it may be one.
func (x *lexer) lispCharacter(rest string, glued bool) bool {
	size := 0
	switch {
	case strings.HasPrefix(rest, `#\`):
		size = 3
	case rest[0] == '.' && len(rest) > 1 && (nameByte(rest[1]) || rest[1] == '-') &&
		!(glued && x.value()): // a method of Java
		end := 1
		for end < len(rest) && (nameByte(rest[end]) ||
			strings.IndexByte(x.lang.inside, rest[end]) >= 0) {
			end++
		}
		x.add(word, rest[:end], glued)
		x.pos += end
		return true
	case rest[0] == '\\' && !(glued && x.last().kind == word):
		size = 2
	case rest[0] == '?' && x.lang.emacs && !(glued && x.last().kind == word):
		if size = 2; strings.HasPrefix(rest, `?\`) {
			size = 3
		}
	default:
		return false
	}
	end := min(size, len(rest))
	for end < len(rest) && nameByte(rest[end]) && nameByte(rest[end-1]) {
		end++
	}
	if end > size {
		x.add(word, rest[size-1:end], glued)
	} else {
		x.add(number, "0", glued)
	}
	x.pos += end
	return true
}

// unclear reports whether a text of a strict language may begin or end here in a way that the
// lexer does not follow.
func (x *lexer) unclear(glued bool) bool {
	rest := x.rest()
	begins := func(marks ...string) bool { return beginsWith(rest, marks) }
	switch x.lang.name {
	case "groovy":
		return begins("$/", `\u`) || begins("/") && !begins("//", "/*") && (!x.value() ||
			x.last().kind == word) && x.quoteInLine()
	case "java", "scala":
		return begins(`\u`, "//>")
	case "kotlin":
		return begins("@file")
	case "swift":
		return begins(`#"`, "##", "#/") || begins("/") && !begins("//", "/*") && !x.value() &&
			x.quoteInLine()
	case "ocaml":
		if begins("{") {
			end := 1
			for end < len(rest) && (rest[end] == '_' || rest[end] >= 'a' && rest[end] <= 'z') {
				end++
			}
			return end < len(rest) && rest[end] == '|'
		}
	case "lisp":
		return begins("|", "#.", "#=", "#@", "#<<", "#!") && !(begins("#!") && x.pos == 0) ||
			begins(`\`) && glued && x.last().kind == word
	case "haskell":
		return begins("[|") || begins("--") && x.quoteInLine()
	case "octave":
		return begins("!") && !begins("!=") && (x.pos == 0 || x.last().kind == newline)
	}
	return false
}
