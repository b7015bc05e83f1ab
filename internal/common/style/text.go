package style

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Printable returns text with control characters that could drive a terminal in caret
// notation, and with bytes that are not UTF-8 as \xNN: a terminal without UTF-8 takes
// some of those for controls (ECMA-35). Newline and tab stay.
func Printable(text string) string {
	if strings.IndexFunc(text, control) < 0 && utf8.ValidString(text) {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case !control(r):
			b.WriteRune(r)
		case r < 0x20:
			b.WriteByte('^')
			b.WriteRune(r + 0x40)
		default:
			fmt.Fprintf(&b, "<U+%04X>", r)
		}
	}
	return b.String()
}

// control reports whether r may drive a terminal or reorder what a person reads: C0
// except newline and tab, DEL and C1, and the bidirectional controls.
func control(r rune) bool {
	return r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 ||
		r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// FirstLine returns the first line of text, at most limit characters of it, safe for a
// terminal.
func FirstLine(text string, limit int) string {
	line, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	if runes := []rune(line); len(runes) > limit {
		line, more = string(runes[:limit]), true
	}
	if more {
		line += Mark(" …")
	}
	return Printable(line)
}

// Risk returns a risk level in the form that is shown after a command. A command may have
// written anything in its place into a journal.
func (on Style) Risk(level string) string {
	text := Mark("▐ ") + FirstLine(level, 20)
	switch level {
	case "read_only":
		return on.Dim(text)
	case "build_test", "write":
		return on.Green(text)
	case "destructive", "network":
		return on.Yellow(text)
	}
	return on.Red(text)
}
