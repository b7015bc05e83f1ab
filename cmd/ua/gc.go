package main

import (
	"fmt"

	"ua/cmd/ua/internal/ring"
	"ua/cmd/ua/internal/worktree"
	"ua/internal/common/config"
	"ua/internal/common/prog"
)

// gcVerb removes the work trees that runs left behind and nobody came back to. With
// --force it also removes those that hold changes. What stays is a warning, not a
// failure.
func gcVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	force := fs.Bool("force", false, "")
	if err := env.Parse(fs, args, helpOf("gc")); err != nil {
		return err
	}
	if fs.NArg() > 0 {
		return ring.AsTask("gc", fs.Args(), prog.Errorf(prog.Trouble, "%q: gc takes no operands",
			fs.Arg(0)))
	}
	config.TakeKeys() // git runs programs of the user's
	for _, old := range worktree.Collect(*force) {
		if old.Err == nil {
			if _, err := fmt.Fprintf(env.Out(), "removed %s\n", old.Path); err != nil {
				return err
			}
		} else {
			env.Warnf("%s: %v", old.Path, old.Err)
		}
	}
	return nil
}
