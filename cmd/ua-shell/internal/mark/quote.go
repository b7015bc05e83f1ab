package mark

import (
	"fmt"
	"net/url"
	"strings"
	"unicode/utf8"
)

// Unquote returns the text of a mark's field. Its first byte says how the rest is
// written: "q" is a word of bash or zsh (printf %q, ${(q+)x}), "u" is escaped as in a URL
// (fish's string escape --style=url). Bytes that are not UTF-8 stay as they are.
func Unquote(field string) string {
	if field == "" {
		return ""
	}
	how, text := field[0], field[1:]
	if how == 'u' {
		if plain, err := url.PathUnescape(text); err == nil {
			return plain
		}
		return text
	}
	return word(text)
}

// Quote writes text on one line as Unquote reads it, without the first byte.
func Quote(how byte, text string) string {
	if how == 'u' {
		return url.PathEscape(text)
	}
	var b strings.Builder
	b.WriteString("$'")
	for _, c := range []byte(text) {
		switch {
		case c == '\'' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < 0x20 || c == 0x7f:
			fmt.Fprintf(&b, "\\%03o", c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// word returns the text that a shell's quoted word stands for.
func word(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		switch {
		// One word can be quoted in several ways, one after the other.
		case strings.HasPrefix(s[i:], "$'"):
			i = ansi(&b, s, i+2)
		case s[i] == '\'':
			end := strings.IndexByte(s[i+1:], '\'')
			if end < 0 {
				end = len(s) - i - 1
			}
			b.WriteString(s[i+1 : i+1+end])
			i += end + 2
		case s[i] == '\\' && i+1 < len(s):
			b.WriteByte(s[i+1])
			i += 2
		default:
			b.WriteByte(s[i])
			i++
		}
	}
	return b.String()
}

// letters are the escapes in $'…' that stand for one character, in pairs: the letter and
// its character.
const letters = "a\ab\be\x1bE\x1bf\fn\nr\rt\tv\v\\\\''\"\"??"

// ansi writes the content of $'…' from index i on and returns the index after it.
func ansi(b *strings.Builder, s string, i int) int {
	for i < len(s) && s[i] != '\'' {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			i++
			continue
		}
		c := s[i+1]
		i += 2
		switch at := strings.IndexByte(letters, c); {
		case c >= '0' && c <= '7':
			n, used := digits(s[i-1:], 8, 3)
			b.WriteByte(byte(n))
			i += used - 1
		case c == 'x':
			n, used := digits(s[i:], 16, 2)
			b.WriteByte(byte(n))
			i += used
		case c == 'u' || c == 'U':
			// A number beyond Unicode becomes U+FFFD.
			n, used := digits(s[i:], 16, map[byte]int{'u': 4, 'U': 8}[c])
			b.WriteRune(rune(min(n, utf8.MaxRune+1)))
			i += used
		case at >= 0 && at%2 == 0:
			b.WriteByte(letters[at+1])
		default:
			b.WriteByte(c)
		}
	}
	return min(i+1, len(s))
}

// digits returns the number at the start of s and how many of its digits belong to it.
func digits(s string, base, most int) (n, used int) {
	for used < min(most, len(s)) {
		d := strings.IndexByte("0123456789abcdef", s[used])
		if s[used] >= 'A' && s[used] <= 'F' {
			d = int(s[used]-'A') + 10
		}
		if d < 0 || d >= base {
			break
		}
		n, used = n*base+d, used+1
	}
	return n, used
}
