package scrub

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"ua/internal/common/style"
)

// Text makes hidden characters visible, breaks markers, and replaces bytes that are not
// UTF-8 by U+FFFD. It returns the text and how many of each kind there were, including
// phrases that read like instructions, which stay. It is made for text of some kilobytes.
func Text(text string) (string, map[string]int) {
	counts := map[string]int{}
	text = visible(text, counts)
	for _, m := range markers() {
		text = blunt(text, m, counts)
	}
	if n := countPhrases(text); n > 0 {
		counts[Phrases] = n
	}
	return text, counts
}

// visible replaces bytes that are not UTF-8 by U+FFFD, applies backspaces, and writes
// characters that a reader cannot see by name.
func visible(text string, counts map[string]int) string {
	if !strings.ContainsFunc(text, special) {
		return text
	}
	b := make([]byte, 0, len(text)+64)
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			b = utf8.AppendRune(b, utf8.RuneError)
			counts["invalid_utf8"]++
		case r == '\b':
			b = back(b)
		case r == 0x0e || r == 0x0f: // shifts of the character set, as in many a terminal's sgr0
		case style.Hidden(r):
			b, n = name(b, text[i:], counts)
		case r < 0x20 && r != '\n' && r != '\t' && r != '\r' || r == 0x7f || r >= 0x80 && r < 0xa0:
			b = fmt.Appendf(b, "\\x%02x", r)
			counts["control"]++
		default:
			b = append(b, text[i:i+n]...)
		}
		i += n
	}
	return string(b)
}

// special reports whether visible has to change r.
func special(r rune) bool {
	return r == utf8.RuneError || r < 0x20 && r != '\n' && r != '\t' && r != '\r' || r >= 0x7f &&
		r < 0xa0 || style.Hidden(r)
}

// name appends the names of the hidden characters at the start of s, and returns how many
// bytes those take. A longer run may spell a message, so only its length is given.
func name(b []byte, s string, counts map[string]int) ([]byte, int) {
	first, count, bytes := rune(0), 0, 0
	for bytes < len(s) {
		r, n := utf8.DecodeRuneInString(s[bytes:])
		if !style.Hidden(r) {
			break
		}
		if count++; count == 1 {
			first = r
		}
		bytes += n
	}
	counts["hidden"] += count
	if count == 1 {
		return fmt.Appendf(b, "[U+%04X]", first), bytes
	}
	return fmt.Appendf(b, "[%d hidden characters]", count), bytes
}
