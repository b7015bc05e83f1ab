package config

import (
	"errors"
	"regexp"
	"sync"

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

// tokens matches comments and strings, whole or cut off, and the marks that nest.
var tokens = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?s)#[^\n]*|"""(?:\\.|.)*?(?:"""|\z)|'''.*?(?:'''|\z)|` +
		`"(?:\\.|[^"\\\n])*"?|'[^'\n]*'?|[][{}.=,\n]`)
})

// tooDeep reports whether TOML text, valid or not, is nested deeper than maxDeep.
func tooDeep(text string) bool {
	depth, dots := 0, 0
	for _, at := range tokens().FindAllStringIndex(text, -1) {
		switch text[at[0]] {
		case '[', '{':
			depth, dots = depth+1, 0
		case ']', '}':
			depth, dots = max(depth-1, 0), 0
		case '.':
			dots++
		case '=', ',', '\n':
			dots = 0
		}
		if depth > maxDeep || dots > maxDeep {
			return true
		}
	}
	return false
}
