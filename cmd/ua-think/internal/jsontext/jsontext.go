// Package jsontext checks JSON from outside before a parser sees it.
package jsontext

import (
	"strings"

	"github.com/tidwall/gjson"
)

// MaxDepth is how deep arrays and objects may be nested: far deeper than in any API, and
// far less than what makes a recursive parser run out of stack.
const MaxDepth = 1000

// TooDeep reports whether text is nested deeper than MaxDepth. The text need not be
// valid.
func TooDeep(text []byte) bool {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			if depth++; depth > MaxDepth {
				return true
			}
		case '}', ']':
			depth--
		}
	}
	return false
}

// Valid reports whether text is one JSON value that is not nested too deep.
func Valid(text []byte) bool { return !TooDeep(text) && gjson.ValidBytes(text) }

// OneLine returns JSON text without line breaks between tokens, and in valid UTF-8.
func OneLine(text string) string {
	if strings.ContainsAny(text, "\r\n") {
		text = gjson.Get(text, "@ugly").Raw
	}
	return strings.ToValidUTF8(text, "\ufffd")
}
