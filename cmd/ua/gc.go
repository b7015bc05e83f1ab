package main

import (
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
	if err := parse(env, "gc", fs, args, 0); err != nil {
		return err
	}
	config.TakeKeys() // git runs programs of the user's
	for _, old := range worktree.Collect(*force) {
		if old.Err == nil {
			env.Outf("removed %s\n", old.Path)
		} else {
			env.Warnf("%s: %v", old.Path, old.Err)
		}
	}
	return nil
}
