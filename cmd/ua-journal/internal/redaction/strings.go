package redaction

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
)

// gone stands in place of what was redacted.
const gone = "[redacted]"

// scrub returns line with each string value replaced for which want returns true. want
// gets the names of the members that lead to the value, and its text. Names and numbers
// are never replaced, and every other byte stays as it is.
func scrub(line []byte, want func(path []string, text string) (string, bool)) []byte {
	var out []byte
	path, open := []string{""}, []byte(nil) // open are the brackets around a place
	done := 0
	for i := 0; i < len(line); {
		switch c := line[i]; c {
		case '"':
			end := stringEnd(line, i)
			text := unquote(line[i:end])
			// A string before a colon is a name, and stays.
			if rest := bytes.TrimLeft(line[end:], " \t\r\n"); len(rest) > 0 && rest[0] == ':' {
				path[len(path)-1] = text
			} else if now, ok := want(path, text); ok {
				out = event.AppendString(append(out, line[done:i]...), now)
				done = end
			}
			i = end
			continue
		case '{', '[':
			if open = append(open, c); c == '{' && len(open) > 1 {
				path = append(path, "")
			}
		case '}', ']':
			if n := len(open); n > 0 {
				if open[n-1] == '{' && n > 1 {
					path = path[:len(path)-1]
				}
				open = open[:n-1]
			}
		}
		i++
	}
	return append(out, line[done:]...)
}

// stringEnd returns the offset after the JSON string that starts at i.
func stringEnd(line []byte, i int) int {
	for i++; i < len(line); i++ {
		switch line[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(line)
}

// unquote returns the text of a JSON string.
func unquote(raw []byte) string { return gjson.ParseBytes(raw).String() }

// without returns text with every occurrence of the texts replaced. Occurrences that
// overlap are replaced together.
func without(text string, texts []string) string {
	var spans [][2]int
	for _, t := range texts {
		for from := 0; t != ""; {
			at := strings.Index(text[from:], t)
			if at < 0 {
				break
			}
			spans = append(spans, [2]int{from + at, from + at + len(t)})
			// One byte on, since a text can overlap itself.
			from += at + 1
		}
	}
	slices.SortFunc(spans, func(a, b [2]int) int { return a[0] - b[0] })
	var out strings.Builder
	done := 0
	for i, s := range spans {
		if i == 0 || s[0] >= done {
			out.WriteString(text[done:s[0]] + gone)
		}
		done = max(done, s[1])
	}
	return out.String() + text[done:]
}
