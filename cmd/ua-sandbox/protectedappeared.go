package main

import (
	"os"
	"strconv"
	"strings"
	"unicode"

	"ua/cmd/ua-sandbox/internal/policy"
	"ua/internal/common/prog"
)

// appeared warns about paths that are denied or protected, did not exist when the command
// began, and exist now. A mount could hide them only by leaving an empty file in their
// place, which strict does not do to a workspace.
func appeared(env *prog.Env, p *policy.Policy) {
	var list []string
	for _, path := range p.Missing {
		if !p.Strict || !p.Writable(path) {
			continue
		}
		if _, err := os.Lstat(path); err == nil {
			list = append(list, path)
		}
	}
	if len(list) > 0 {
		env.Warnf("the command made %s: look at it before anything runs or reads it",
			shown(list))
	}
}

// shown returns paths for a message. A command chose these names, and one with a newline
// would look like a message of its own.
func shown(list []string) string {
	var words []string
	for _, word := range list {
		if strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsPrint(r) }) {
			word = strconv.Quote(word)
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}
