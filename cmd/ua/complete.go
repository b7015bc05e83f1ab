package main

import (
	"ua/cmd/ua/internal/completion"
	"ua/internal/common/prog"
)

// completeVerb prints what may stand at the end of a command line, for the shells'
// completions: a word a line and, behind a tab, what it means.
func completeVerb(env *prog.Env, args []string) error {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	for _, c := range completion.Next(args) {
		env.Printf("%s\t%s\n", c.Word, c.About)
	}
	return nil
}
