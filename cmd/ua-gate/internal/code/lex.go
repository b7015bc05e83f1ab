package code

import "strings"

// A kind says what a token is to the reader.
type kind uint8

const (
	word    kind = iota // a name, with its sigil
	str                 // a text
	number              // a number
	mark                // one character of punctuation, or a mark between names
	newline             // the end of a line
	command             // a text that is run as a command
)

// A token is one piece of a text.
type token struct {
	kind  kind
	text  string    // of a str its value, with a Hole for each piece that is filled in
	inner [][]token // the code that fills in these pieces, or that a pattern's e flag runs
	glued bool      // nothing stands between it and the one before
}

// is reports whether the token is that mark.
func (t token) is(text string) bool { return t.kind == mark && t.text == text }

// maxDepth limits code inside of texts inside of code.
const maxDepth = 8

// A lexer divides a text of a language into tokens. If it cannot do that with certainty
// it says that the text is not whole, so that nothing is said of it.
type lexer struct {
	lang  language
	text  string
	pos   int
	depth int // of code inside texts
	done  []token
}

// rest returns the text that is still to be read.
func (x *lexer) rest() string { return x.text[x.pos:] }

// add adds a token.
func (x *lexer) add(k kind, text string, glued bool) {
	x.done = append(x.done, token{kind: k, text: text, glued: glued})
}

// last returns the last token, or an empty mark at the start.
func (x *lexer) last() token {
	if len(x.done) == 0 {
		return token{kind: mark}
	}
	return x.done[len(x.done)-1]
}

// all returns the whole text as tokens. It returns false if a text or comment in it has
// no end.
func (x *lexer) all() ([]token, bool) {
	for x.pos < len(x.text) {
		if !x.next() {
			return nil, false
		}
	}
	return x.done, true
}

// next reads one token. A helper that finds no end moves beyond the text, which makes
// this false.
func (x *lexer) next() bool {
	before := x.pos
	x.pos += len(x.rest()) - len(strings.TrimLeft(x.rest(), " \t\r"))
	if x.pos == len(x.text) {
		return true
	}
	glued := before == x.pos && x.pos > 0
	if x.doubtful(glued) {
		return false
	}
	switch c := x.text[x.pos]; {
	case c == '\n':
		x.pos++
		x.add(newline, "\n", false)
	case c == '\\' && strings.HasPrefix(x.rest(), "\\\n"):
		x.pos += 2
	// comment, special and name leave the position beyond the text where they find no
	// end.
	case x.comment():
		return x.pos <= len(x.text)
	case x.character(glued):
		return x.pos <= len(x.text)
	case x.special(glued):
		return x.pos <= len(x.text)
	case c >= '0' && c <= '9':
		end := x.pos
		for end < len(x.text) && (nameByte(x.text[end]) || x.text[end] == '.' &&
			end+1 < len(x.text) &&
			x.text[end+1] >= '0' && x.text[end+1] <= '9') {
			end++
		}
		x.add(number, x.text[x.pos:end], glued)
		x.pos = end
	case nameByte(c) || strings.IndexByte(x.lang.sigils, c) >= 0 && x.sigil():
		x.name(glued)
		return x.pos <= len(x.text)
	case c == x.lang.shell && c != 0:
		return x.quoted(command, string(c), true, glued)
	case strings.IndexByte(x.lang.quotes, c) >= 0:
		return x.quotes(glued)
	case c == '/' && x.lang.regexp && !x.value():
		x.pos++
		return x.pattern('/', glued)
	default:
		x.mark(glued)
	}
	return true
}

// nameByte reports whether a byte can be part of a name. All beyond ASCII can.
func nameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' ||
		c >= 0x80
}

// sigil reports whether the sigil here begins a name.
func (x *lexer) sigil() bool {
	if x.pos+1 >= len(x.text) {
		return false
	}
	c, next := x.text[x.pos], x.text[x.pos+1]
	// After a value these divide and join.
	if c == '%' || c == '&' {
		return (nameByte(next) || next == '$') && !x.value()
	}
	if c == '$' && x.lang.name == "perl" {
		return next != ' ' && next != '{'
	}
	return nameByte(next) || next == c
}

// name reads a name.
func (x *lexer) name(glued bool) {
	end := x.pos
	for end < len(x.text) && strings.IndexByte(x.lang.sigils, x.text[end]) >= 0 {
		end++
	}
	if end > x.pos && end < len(x.text) &&
		!nameByte(x.text[end]) { // a variable of Perl's own, such as $! or $"
		end++
	} else {
		for end < len(x.text) && (nameByte(x.text[end]) || strings.IndexByte(x.lang.inside,
			x.text[end]) >= 0) {
			end++
		}
		if end < len(x.text) && strings.IndexByte(x.lang.tails, x.text[end]) >= 0 &&
			!strings.HasPrefix(x.text[end+1:], "=") {
			end++
		}
	}
	name := x.text[x.pos:end]
	if strings.IndexFunc(name, func(r rune) bool { return r >= 0x80 }) >= 0 {
		x.pos = len(x.text) + 1 // languages may take other letters for the plain ones
		return
	}
	x.add(word, name, glued)
	x.pos = end
}

// value reports whether the token before ends a value, so that a slash divides.
func (x *lexer) value() bool {
	switch t := x.last(); t.kind {
	case number, str, command:
		return true
	case word:
		return !strings.Contains(" return if unless and or not in when split grep map for foreach "+
			"print say puts typeof case while until elsif x keys values each scalar reverse sort my our "+
			"local push unshift delete exists defined ", " "+t.text+" ")
	case mark:
		return t.text == ")" || t.text == "]" || t.text == "}"
	}
	return false
}

// mark reads a mark of one or two characters, or one that joins names.
func (x *lexer) mark(glued bool) {
	text := x.lang.memberAt(x.rest())
	if text == "" {
		text = x.text[x.pos : x.pos+1]
		for _, two := range []string{"==", "=>", "=~", "!=", "<=", ">=", "&&", "||", "..", "**",
			"+=",
			":=", "<<", "|>"} {
			if strings.HasPrefix(x.rest(), two) {
				text = two
			}
		}
	}
	for _, dots := range []string{"..", "..."} {
		if text[0] == '.' && strings.HasPrefix(x.rest(), dots) {
			text = dots
		}
	}
	x.pos += len(text)
	x.add(mark, text, glued)
}

// comment skips a comment. A block without an end moves beyond the text.
func (x *lexer) comment() bool {
	if b := x.lang.block; len(b) > 0 && strings.HasPrefix(x.rest(), b[0]) {
		end := strings.Index(x.rest()[len(b[0]):], b[1])
		if end < 0 {
			x.pos = len(x.text) + 1
			return true
		}
		x.pos += len(b[0]) + end + len(b[1])
		return true
	}
	for begin := range strings.FieldsSeq(x.lang.line) {
		if strings.HasPrefix(x.rest(), begin) && !(begin == ";" && x.last().is("#")) {
			end := strings.IndexByte(x.rest(), '\n')
			if end < 0 {
				end = len(x.rest())
			}
			x.pos += end
			return true
		}
	}
	return false
}
