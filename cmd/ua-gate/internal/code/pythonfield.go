package code

import "strings"

// pythonField reads the field of an f-string that begins with the brace at text[at]. It
// returns the code of its expression and of the fields in its format, and the index of the
// brace that ends it, or -1. Since Python 3.12 texts in the expression may have the quote of
// the f-string (PEP 701); before, that is a syntax error, so that it is read so always. quote
// is the quote that ends the f-string, which a format cannot contain; "" is for its body.
func pythonField(text string, at int, quote string) (code []string, end int) {
	depth := 0
	for i := at + 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == '#': // a comment, which could hold anything
			return nil, -1
		case c == '"' || c == '\'':
			if i = pythonText(text, i); i < 0 {
				return nil, -1
			}
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case c == '}' && depth == 0:
			return []string{text[at+1 : i]}, i
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		case depth == 0 && (c == ':' || c == '!' && !strings.HasPrefix(text[i:], "!=")):
			code, end = pythonFormat(text, i+1, quote)
			return append([]string{text[at+1 : i]}, code...), end
		}
	}
	return nil, -1
}

// pythonFormat reads a field's format from text[at] on, in which fields may stand, and returns
// as pythonField does.
func pythonFormat(text string, at int, quote string) (code []string, end int) {
	for i := at; i < len(text); i++ {
		switch c := text[i]; {
		case quote != "" && strings.HasPrefix(text[i:], quote), c == '\n' && len(quote) == 1:
			return nil, -1
		case c == '}':
			return code, i
		case c == '{':
			inner, end := pythonField(text, i, quote)
			if end < 0 {
				return nil, -1
			}
			code, i = append(code, inner...), end
		}
	}
	return nil, -1
}

// pythonText returns the index of the last byte of the text whose first quote is at text[at],
// or -1. Letters before it say whether it is an f-string, which may contain its own quote.
func pythonText(text string, at int) int {
	quote := text[at : at+1]
	if strings.HasPrefix(text[at:], strings.Repeat(quote, 3)) {
		quote = text[at : at+3]
	}
	from := at
	for from > 0 && nameByte(text[from-1]) {
		from--
	}
	fills := strings.ContainsAny(text[from:at], "fFtT")
	for i := at + len(quote); i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && !(fills && strings.HasPrefix(text[i:], `\{`)):
			i++
		case strings.HasPrefix(text[i:], quote):
			return i + len(quote) - 1
		case c == '\n' && len(quote) == 1:
			return -1
		case c == '{' && fills && strings.HasPrefix(text[i:], "{{"):
			i++
		case c == '{' && fills:
			if _, i = pythonField(text, i, quote); i < 0 {
				return -1
			}
		}
	}
	return -1
}
