package classify

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// An escaping says whose backslashes are decoded. Each knows other ones (bash(1), QUOTING,
// echo and printf): TestEscapesAgainstBash asks bash.
type escaping int

const (
	dollarQuotes escaping = iota // $'…'
	echoText                     // echo -e
	formatText                   // the format of printf
	valueText                    // a value for %b of printf
	awkString
)

// ansiC decodes the inside of $'…' (bash(1), QUOTING). A NUL ends it.
func ansiC(s string) string {
	if !strings.Contains(s, "\\") {
		return s
	}
	out, _ := escapes(s, dollarQuotes)
	if i := strings.IndexByte(out, 0); i >= 0 {
		out = out[:i]
	}
	return out
}

const simpleEscapes = "a\ab\be\x1bE\x1bf\fn\nr\rt\tv\v\\\\"

// escapes decodes backslash escapes. It reports false where an escape ends the output, or
// shells don't agree on it.
func escapes(s string, by escaping) (string, bool) {
	var out strings.Builder
	sure := true
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			out.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; {
		case c >= '0' && c <= '7':
			i += octalEscape(&out, by, s[i:]) - 1
		case c == 'x' || c == 'u' || c == 'U':
			i += hexEscape(&out, c, s[i+1:], by == dollarQuotes)
		case c == 'c':
			if sure = sure && by != echoText && by != valueText; i+1 < len(s) && by == dollarQuotes {
				if i++; s[i] == '\\' && i+1 < len(s) && s[i+1] == '\\' {
					i++ // \c\\ is one character
				}
				out.WriteByte(s[i] & 0x1f)
			} else {
				out.WriteString("\\c")
			}
		case strings.IndexByte(`'"?`, c) >= 0:
			if sure = sure && by != valueText; by == echoText {
				out.WriteByte('\\')
			}
			out.WriteByte(c)
		default:
			if k := strings.IndexByte(simpleEscapes, c); k >= 0 && k%2 == 0 {
				out.WriteByte(simpleEscapes[k+1])
			} else {
				out.WriteByte('\\')
				out.WriteByte(c)
			}
		}
	}
	return out.String(), sure
}

// octalEscape writes the character of the digits that s begins with, and says how many
// they are. echo takes them only behind a zero, which it does not count; %b counts none.
func octalEscape(out *strings.Builder, by escaping, s string) int {
	most := 3
	switch {
	case by == echoText && s[0] != '0':
		out.WriteByte('\\')
		out.WriteByte(s[0])
		return 1
	case s[0] == '0' && (by == echoText || by == valueText):
		most = 4
	}
	n, v := 0, 0
	for n < most && n < len(s) && s[n] >= '0' && s[n] <= '7' {
		v, n = v*8+int(s[n]-'0'), n+1
	}
	out.WriteByte(byte(v))
	return n
}

// hexEscape writes the character of \x, \u or \U and says how many bytes it took. With
// braces, bash takes any number of digits for \x{…}, and needs no closing brace.
func hexEscape(out *strings.Builder, kind byte, s string, braces bool) int {
	most, from := map[byte]int{'x': 2, 'u': 4, 'U': 8}[kind], 0
	if braces = braces && kind == 'x' && strings.HasPrefix(s, "{"); braces {
		most, from = len(s), 1
	}
	n := from
	for n < from+most && n < len(s) && strings.IndexByte("0123456789abcdefABCDEF", s[n]) >= 0 {
		n++
	}
	if braces {
		last := s[max(from, n-2):n]            // the byte that is left of a longer number
		v, _ := strconv.ParseUint(last, 16, 8) // 0 without one
		out.WriteByte(byte(v))
		if strings.HasPrefix(s[n:], "}") {
			n++
		}
		return n
	}
	v, err := strconv.ParseUint(s[from:n], 16, 32)
	switch {
	case err != nil:
		out.WriteByte('\\')
		out.WriteByte(kind)
		return 0
	case kind == 'x':
		out.WriteByte(byte(v))
	default:
		out.Write(utf8.AppendRune(nil, rune(v)))
	}
	return n
}
