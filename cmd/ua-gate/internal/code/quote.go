package code

import "strings"

// quotes reads a text in one of the language's quotes, with the letters that Python puts
// before it.
func (x *lexer) quotes(glued bool) bool {
	quote := x.text[x.pos : x.pos+1]
	if x.lang.triple && strings.HasPrefix(x.rest(), strings.Repeat(quote, 3)) {
		quote = x.text[x.pos : x.pos+3]
	}
	fills := x.lang.fill != "" && quote[0] == '"'
	switch x.lang.name {
	case "node":
		fills = quote == "`"
	case "python":
		fills = false
		if t := x.last(); t.kind == word && glued && len(t.text) <= 2 &&
			strings.Trim(strings.ToLower(t.text), "rbuft") == "" {
			x.done = x.done[:len(x.done)-1]
			fills = strings.ContainsAny(t.text, "fFtT")
		}
	}
	return x.quoted(str, quote, fills, glued)
}

// quoted reads a text up to its closing quote.
func (x *lexer) quoted(k kind, quote string, fills, glued bool) bool {
	x.pos += len(quote)
	body, ok := x.upTo(quote, fills)
	if !ok {
		return false
	}
	t := token{kind: k, glued: glued}
	t.text, t.inner, ok = x.filled(body, fills, quote == "'" && x.lang.escape)
	x.done = append(x.done, t)
	return ok
}

// upTo reads up to the closing quote, and the quote. Code in the text may contain the
// same quote.
func (x *lexer) upTo(quote string, fills bool) (string, bool) {
	from := x.pos
	// In these languages such a text cannot contain a newline.
	short := len(quote) == 1 && quote != "`" && strings.Contains(" python node ",
		" "+x.lang.name+" ")
	for x.pos < len(x.text) {
		switch {
		case x.text[x.pos] == '\n' && short:
			return "", false
		// Python knows no escaped brace: a field begins there.
		case x.text[x.pos] == '\\' && !(fills && x.lang.name == "python" &&
			strings.HasPrefix(x.rest(), `\{`)):
			x.pos += 2
			continue
		case strings.HasPrefix(x.rest(), quote):
			body := x.text[from:x.pos]
			x.pos += len(quote)
			return body, true
		case fills && x.lang.name == "python" && strings.HasPrefix(x.rest(), "{{"):
			x.pos++
		case fills && x.lang.name == "python" && x.text[x.pos] == '{':
			_, end := pythonField(x.text, x.pos, quote)
			if end < 0 {
				return "", false
			}
			x.pos = end
		// Inside of code the quote begins another text.
		case len(x.lang.fill) == 2 && strings.HasPrefix(x.rest(), x.lang.fill) && quote != "'":
			end := closing(x.text, x.pos+1)
			if end < 0 {
				return "", false
			}
			x.pos = end
		}
		x.pos++
	}
	return "", false
}

// closing returns the index at which the bracket at that index is closed, or -1. It skips
// brackets in texts.
func closing(text string, at int) int {
	pairs := map[byte]byte{'{': '}', '(': ')', '[': ']', '<': '>'}
	open, shut := text[at], pairs[text[at]]
	for depth, i := 0, at; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == open:
			depth++
		case c == shut:
			if depth--; depth == 0 {
				return i
			}
		case (c == '"' || c == '\'') && open == '{':
			if j := strings.IndexByte(text[i+1:], c); j >= 0 {
				i += j + 1
			}
		}
	}
	return -1
}

// filled returns the value of a text, with Holes, and the code in it.
func (x *lexer) filled(body string, fills, raw bool) (string, [][]token, bool) {
	var out strings.Builder
	var inner [][]token
	for i := 0; i < len(body); i++ {
		code, size := "", 0
		if fills && x.lang.name == "python" && strings.HasPrefix(body[i:], "{{") {
			out.WriteByte('{') // a doubled brace is a brace
			i++
			continue
		}
		if fills {
			code, size = x.fillAt(body, i)
		}
		if fills && x.lang.name == "perl" && size == 0 {
			if code, _ := subscript(body, i); code != "" {
				tokens, ok := x.nested(code)
				if !ok {
					return "", nil, false
				}
				inner = append(inner, tokens)
			}
		}
		switch {
		case size > 0:
			out.WriteString(Hole)
			if code != "" {
				tokens, ok := x.nested(code)
				if !ok {
					return "", nil, false
				}
				inner = append(inner, tokens)
			}
			i += size - 1
		// A path may be written with escapes.
		case body[i] == '\\' && i+1 < len(body) && !raw &&
			!(fills && x.lang.name == "python" && body[i+1] == '{'):
			n := unescape(&out, body[i+1:])
			i += n
		default:
			out.WriteByte(body[i])
		}
	}
	return out.String(), inner, true
}

// fillAt returns the code in a text at index i, and how many bytes it takes.
func (x *lexer) fillAt(body string, i int) (code string, size int) {
	fill := x.lang.fill
	if !strings.HasPrefix(body[i:], fill) {
		if x.lang.name == "perl" && body[i] == '@' && i+1 < len(body) && (nameByte(body[i+1]) ||
			body[i+1] == '{') {
			fill = "@"
		} else {
			return "", 0
		}
	}
	if x.lang.name == "python" {
		code, end := pythonField(body, i, "")
		if end < 0 {
			return "", 0
		}
		return strings.Join(code, "\n"), end - i + 1
	}
	at := i + len(fill)
	if len(fill) == 2 {
		at--
	}
	if at >= len(body) {
		return "", 0
	}
	if body[at] == '{' {
		end := closing(body, at)
		if end < 0 {
			return "", 0
		}
		return body[at+1 : end], end - i + 1
	}
	end := at
	for end < len(body) && nameByte(body[end]) {
		end++
	}
	if end == at {
		return "", 0
	}
	return body[i:end], end - i
}

// subscript returns the code in the brackets at index i of a text of Perl, which may stand behind
// a variable, and the bracket's end. A number, a variable or the name of a key is no code.
func subscript(body string, i int) (code string, end int) {
	if body[i] != '[' && body[i] != '{' || !strings.ContainsAny(body[:i], "$@") ||
		!nameByte(body[i-1]) && strings.IndexByte("}]>#", body[i-1]) < 0 {
		return "", 0
	}
	if end = closing(body, i); end < 0 {
		return "", 0
	}
	code = body[i+1 : end]
	letters := strings.TrimLeft(code, "$-0123456789,")
	named := body[i] == '{' || len(letters) < len(code) && code[0] == '$'
	if letters == "" || named && strings.Trim(letters, simple) == "" {
		return "", 0
	}
	return code, end
}

// simple are the letters of a key's name.
const simple = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

// nested returns the code inside a text as tokens.
func (x *lexer) nested(code string) ([]token, bool) {
	if x.depth >= maxDepth {
		return nil, false
	}
	y := lexer{lang: x.lang, text: code, depth: x.depth + 1}
	return y.all()
}

// unescape writes the character for a backslash escape, and returns how many bytes after
// the backslash belong to it.
func unescape(out *strings.Builder, s string) int {
	digits := func(from, most int) (n, v int) {
		for n < most && from+n < len(s) {
			d := strings.IndexByte("0123456789abcdef", s[from+n]|0x20)
			if d < 0 && s[from+n] >= '0' && s[from+n] <= '9' {
				d = int(s[from+n] - '0')
			}
			if d < 0 {
				break
			}
			v, n = v*16+d, n+1
		}
		return n, v
	}
	switch c := s[0]; c {
	case 'n':
		out.WriteByte('\n')
	case 't':
		out.WriteByte('\t')
	// A backslash at the end of a line joins it to the next one.
	case '\n':
	case 'x':
		n, v := digits(1, 2)
		out.WriteByte(byte(v))
		return 1 + n
	case 'u':
		n, v := digits(1, 4)
		out.WriteRune(rune(v))
		return 1 + n
	case '0', '1', '2', '3', '4', '5', '6', '7':
		n, v := 0, 0
		for n < 3 && n < len(s) && s[n] >= '0' && s[n] <= '7' {
			v, n = v*8+int(s[n]-'0'), n+1
		}
		out.WriteByte(byte(v))
		return n
	default:
		out.WriteByte(c)
	}
	return 1
}
