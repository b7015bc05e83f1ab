package redaction

import (
	"bytes"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
)

// gone stands in place of what was redacted.
const gone = "[redacted]"

// scrub returns line with each string value for which want is true, given its key
// and its text, replaced by what want returns. Keys and numbers stay. The value
// of a "type" stays too: a line remains the event that it is.
func scrub(line []byte, want func(key, text string) (string, bool)) []byte {
	var out []byte
	done, key := 0, ""
	for i := 0; i < len(line); {
		if line[i] != '"' {
			i++
			continue
		}
		end := stringEnd(line, i)
		text := unquote(line[i:end])
		if rest := bytes.TrimLeft(line[end:], " \t\r\n"); len(rest) > 0 && rest[0] == ':' {
			key = text
		} else if now, ok := want(key, text); ok && key != "type" {
			out = event.AppendString(append(out, line[done:i]...), now)
			done = end
		}
		i = end
	}
	return append(out, line[done:]...)
}

// stringEnd returns the offset behind the JSON string that starts at i.
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
