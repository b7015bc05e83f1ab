// Package jsontext looks at JSON that comes from outside before a parser does.
package jsontext

import (
	"strings"

	"github.com/tidwall/gjson"
)

// MaxDepth is how deep arrays and objects may be nested: far deeper than any API
// does, and far less than makes a parser that calls itself run out of stack.
const MaxDepth = 1000

// TooDeep reports whether text, which need not be valid, is nested deeper than
// MaxDepth.
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

// Valid reports whether text is one JSON value that is not too deep.
func Valid(text []byte) bool { return !TooDeep(text) && gjson.ValidBytes(text) }

// OneLine returns JSON text without line breaks between its tokens, in UTF-8.
func OneLine(text string) string {
	if strings.ContainsAny(text, "\r\n") {
		text = gjson.Get(text, "@ugly").Raw
	}
	return strings.ToValidUTF8(text, "\ufffd")
}
