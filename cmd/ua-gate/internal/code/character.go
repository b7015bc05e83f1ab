package code

import "strings"

// character takes a character's literal of Ruby, which may hold a quote: ?".
func (x *lexer) character(glued bool) bool {
	if x.lang.name != "ruby" {
		return false
	}
	size := x.rubyCharacter(x.rest(), glued)
	if size == 0 {
		return false
	}
	if size < 0 {
		return x.lost()
	}
	x.add(number, "0", glued)
	x.pos += min(size, len(x.rest()))
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
