package config

import (
	"errors"
	"strings"

	"github.com/BurntSushi/toml"
)

// errDeep is the error for text that is nested deeper than maxDeep.
var errDeep = errors.New("arrays, tables or keys are nested too deep")

// Decode reads TOML text as toml.Decode does. Text that is nested deeper than any
// settings is an error.
func Decode(text string, into any) (toml.MetaData, error) {
	if tooDeep(text) {
		return toml.MetaData{}, errDeep
	}
	return toml.Decode(text, into)
}

// tooDeep reports whether TOML text, valid or not, is nested deeper than maxDeep.
func tooDeep(text string) bool {
	depth, dots := 0, 0
	for len(text) > 0 {
		c := text[0]
		if n := skipped(text); n > 0 {
			text = text[min(n, len(text)):]
			continue
		}
		switch c {
		case '[', '{':
			depth++
			dots = 0
		case ']', '}':
			depth = max(depth-1, 0)
			dots = 0
		case '.':
			dots++
		case '=', ',', '\n':
			dots = 0
		}
		if depth > maxDeep || dots > maxDeep {
			return true
		}
		text = text[1:]
	}
	return false
}

// skipped returns the length of the comment or string at the start of text, 0 for none.
func skipped(text string) int {
	end := "\n"
	switch {
	case text[0] == '#':
		return untilEnd(text, 1, end, false)
	case strings.HasPrefix(text, `"""`), strings.HasPrefix(text, `'''`):
		return untilEnd(text, 3, text[:3], text[0] == '"') + 3
	case text[0] == '"', text[0] == '\'':
		return untilEnd(text, 1, text[:1], text[0] == '"') + 1
	}
	return 0
}

// untilEnd returns the index of end in text from at on, or of the place where a string of
// one line is cut off.
func untilEnd(text string, at int, end string, escapes bool) int {
	for ; at < len(text); at++ {
		switch {
		case escapes && text[at] == '\\':
			at++
		case strings.HasPrefix(text[at:], end), len(end) == 1 && text[at] == '\n':
			return at
		}
	}
	return at
}
