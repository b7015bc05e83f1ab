package classify

import "strings"

const simpleEscapes = "a\ab\be\x1bE\x1bf\fn\nr\rt\tv\v\\\\"

// escapes decodes the backslashes of $'…', of echo -e, of printf's format and of strings of awk,
// as far as all of them agree: a character by its number is a hole. Only some take the backslash
// away before a quote. It reports whether bash decodes the text so (TestEscapesAgainstBash).
func escapes(s string, quotes bool) (string, bool) {
	if !strings.Contains(s, "\\") {
		return s, true
	}
	var out strings.Builder
	sure := true
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			out.WriteByte(s[i])
			continue
		}
		i++
		switch k := strings.IndexByte(simpleEscapes, s[i]); {
		case strings.IndexByte("01234567xuUc", s[i]) >= 0:
			for sure = false; i+1 < len(s) && strings.IndexByte("0123456789abcdefABCDEF{}",
				s[i+1]) >= 0; i++ {
			}
			out.WriteString(hole)
		case k >= 0 && k%2 == 0:
			out.WriteByte(simpleEscapes[k+1])
		case strings.IndexByte(`'"?`, s[i]) >= 0:
			sure = sure && quotes
			out.WriteByte(s[i])
		default:
			out.WriteString(s[i-1 : i+1])
		}
	}
	return out.String(), sure
}
