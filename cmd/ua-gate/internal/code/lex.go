package code

import (
	"bytes"
	"strconv"
	"strings"
)

// A kind says what a token is.
type kind uint8

const (
	mark    kind = iota // one character of punctuation
	word                // a name
	number              // a number, or a pattern
	literal             // a text
	command             // a text that is run as a command
)

// A token is one piece of a text.
type token struct {
	kind  kind
	text  string  // of a literal its value, with a Hole for each piece that is filled in
	inner []token // the code that fills these in
}

// is reports whether the token is that mark.
func (t token) is(text string) bool { return t.kind == mark && t.text == text }

// slashes is a pattern between slashes, which only stands where no value is before it.
var slashes = lazy(`^/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/*\\\n\[])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|` +
	`[^/\\\n\[])*/[a-z]*`)

// lex divides a text into its tokens.
func (n *names) lex(text string) (tokens []token) {
	value := false // whether a slash divides
	unclosed := 0  // patterns without an end: with too many of them the text is unread
	for text != "" {
		if n.slashes && !value && text[0] == '/' && unclosed < most {
			if p := slashes().FindString(text[:min(len(text), near)]); p != "" {
				tokens, text, value = append(tokens, token{kind: number, text: p}), text[len(p):], true
				continue
			}
			unclosed++
		}
		m := n.tokens.FindStringSubmatch(text)
		text = text[len(m[0]):]
		switch {
		case m[1] != "":
			tokens, value = append(tokens, n.literal(m[1])), true
		case m[2] != "":
		case m[3] != "":
			t := token{kind: number, text: m[3]}
			if i := strings.LastIndexAny(m[3], "/|!#,:}"); i > 0 && strings.Contains(m[3][i:], "e") {
				t.inner = n.lex(m[3][2:i]) // the second half is code
			}
			tokens, value = append(tokens, t), true
		case m[4] != "":
			tokens = append(tokens, token{kind: word, text: m[4]})
			value = !has(" return if unless and or not in split grep map when case ", m[4])
		default:
			tokens = append(tokens, token{text: m[0]})
			value = strings.Contains(")]}", m[0])
		}
	}
	if unclosed == most { // a name that no list has, and that the text can't make its own
		tokens = append([]token{{kind: word, text: "a pattern without end"}, {text: "\n"}}, tokens...)
	}
	return tokens
}

// Pieces of literals that are filled in: behind the mark of the language, or in Perl by a name.
var (
	braces = lazy(`[#$]?\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}`)
	sigils = lazy(`[$@](?:\{([^{}]*)\}|(\w+)(?:(?:->)?[\[{]([^\]}]*)[\]}])*)`)
	escape = lazy(`\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|[0-7]{1,3}|(?s:.))`)
)

// literal returns the token of a text in quotes.
func (n *names) literal(source string) token {
	start := strings.IndexAny(source, "\"'`")
	letters, quote, size := strings.ToLower(source[:start]), source[start:start+1], 1
	if n.language == "python" && len(source) >= start+6 &&
		strings.HasPrefix(source[start:], strings.Repeat(quote, 3)) {
		size = 3
	}
	t := token{kind: literal, text: strings.TrimSuffix(source[start+size:], source[start:start+size])}
	if n.bare && quote == "`" {
		t.kind = command
	}
	form := braces
	switch {
	case n.language == "python" && strings.ContainsAny(letters, "ft"),
		n.language == "node" && quote == "`", n.language == "ruby" && quote != "'":
	case n.language == "perl" && quote != "'":
		form = sigils
	default:
		form = nil
	}
	if form != nil {
		t.text = form().ReplaceAllStringFunc(t.text, func(piece string) string {
			if n.language != "python" && piece[0] == '{' {
				return piece
			}
			t.inner = append(t.inner, n.lex(strings.Trim(piece, "#$@{}"))...)
			if strings.Contains(piece, "HOME") {
				return "~"
			}
			return Hole
		})
	}
	if !strings.Contains(letters, "r") && (quote != "'" || !n.bare) {
		t.text = escape().ReplaceAllStringFunc(t.text, unescaped)
	}
	return t
}

// unescaped returns the character that an escape stands for.
func unescaped(e string) string {
	base, digits := 16, strings.TrimLeft(e, `\xu`)
	if e[1] >= '0' && e[1] <= '7' {
		base = 8
	}
	if v, err := strconv.ParseUint(digits, base, 16); err == nil && (len(e) > 2 || base == 8) {
		return string(rune(v))
	}
	return strings.NewReplacer("n", "\n", "t", "\t", "\n", "").Replace(e[1:])
}

// Words for the user's home, and those that are no arguments by themselves.
const (
	homes   = " home homedir HOME "
	nothing = " True False None true false null undefined nil my our local new await in for with "
)

// valuesOf returns the values of the expressions in the tokens: texts that are joined, ~ for the
// user's home, and a Hole for what is not known. The call of a function stands for its arguments.
// Arguments that have a name are left out, unless all are asked for.
func (n *names) valuesOf(tokens []token, all bool) (values []string) {
	var cur []byte // text is added to it often, so it is no string
	have, join, named := false, false, false
	flush := func() {
		if have && (all || !named) {
			values = append(values, string(cur))
		}
		cur, have, join, named = cur[:0], false, false, false
	}
	operand := func(text string) {
		if have && !join {
			flush()
		}
		cur, have, join = append(cur, text...), true, false
	}
	for i, t := range tokens {
		at := func(n int, marks string) bool {
			return i+n < len(tokens) && tokens[i+n].kind == mark &&
				strings.Contains(marks, tokens[i+n].text)
		}
		home := i+1 < len(tokens) && tokens[i+1].kind != mark && has(homes, tokens[i+1].text)
		switch {
		case (t.kind == word || t.kind == literal) && has(homes, t.text):
			cur, have, join = append(cur[:0], '~'), true, false
		case (t.is("[") || t.is("{")) && home, (t.is("]") || t.is("}")) && string(cur) == "~":
		case t.kind == literal && i > 1 && tokens[i-1].is("(") && tokens[i-2].text == "require" &&
			n.calm[t.text]:
		case t.kind == literal:
			operand(t.text)
		case t.kind == word && at(1, "=:") && !at(2, "=:"):
			flush()
			named = true
		case t.kind != word && t.kind != mark, t.is("("), t.is(")"),
			t.kind == word && has(nothing, t.text):
		case t.kind == word && (at(1, ".:-") || at(1, "(") && !at(2, ")")):
		case t.kind == word && string(cur) != "~":
			operand(Hole)
		case t.kind == word:
		case t.is("/"):
			if join = have; have && !bytes.HasSuffix(cur, []byte("/")) {
				cur = append(cur, '/')
			}
		case t.is("+"), t.is(".") && n.language == "perl":
			join = have
		case !(named && (t.is("=") || t.is(":"))):
			flush()
		}
	}
	flush()
	return values
}
