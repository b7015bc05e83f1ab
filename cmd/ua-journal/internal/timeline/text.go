package timeline

import (
	"strings"
	"unicode/utf8"

	"ua/internal/common/style"
)

// legible returns text that an XML document may contain (XML 1.0, production Char), with
// control characters shown and at most limit characters long.
func legible(text string, limit int) string {
	text = style.Printable(strings.ToValidUTF8(text, "\ufffd"))
	text = strings.Map(func(r rune) rune {
		if r == 0xfffe || r == 0xffff {
			return utf8.RuneError
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit-1]) + "…"
	}
	return text
}

// oneLine returns legible text without line breaks.
func oneLine(text string, limit int) string {
	return legible(strings.Join(strings.Fields(text), " "), limit)
}
