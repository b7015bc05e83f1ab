package main

import (
	"ua/cmd/ua/internal/completion"
	"ua/cmd/ua/internal/ring"
	"ua/internal/common/prog"
)

// completeVerb prints the words that may stand at the end of a command line, for the
// completions of shells: one word a line and, after a tab, what it means.
func completeVerb(env *prog.Env, args []string) error {
	if len(args) == 0 || args[0] != "--" {
		return ring.AsTask("complete", args, prog.Errorf(prog.Trouble,
			"complete: want -- and a command line"))
	}
	for _, c := range completion.Next(args[1:]) {
		env.Printf("%s\t%s\n", c.Word, c.About)
	}
	return nil
}
