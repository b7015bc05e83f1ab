package main

import (
	"time"

	"ua/cmd/ua/internal/worktree"
	"ua/internal/common/prog"
)

// staleAfter is how old a work tree must be that is removed.
const staleAfter = 7 * 24 * time.Hour

// gcVerb removes what runs have left behind and nobody has come back to.
func gcVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	force := fs.Bool("force", false, "")
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	if fs.NArg() > 0 {
		return asTask("gc", fs.Args(), prog.Errorf(prog.Trouble, "%q: gc takes no operands",
			fs.Arg(0)))
	}
	for _, old := range worktree.Prune(staleAfter, *force) {
		if old.Removed {
			env.Printf("removed %s\n", old.Path)
		} else {
			env.Warnf("%s: %v", old.Path, old.Err)
		}
	}
	return nil
}

// tidy prunes by itself, once a day, after a run that a person has started.
func (o *options) tidy() {
	if o.depth == 0 && worktree.Due() {
		worktree.Prune(staleAfter, false)
	}
}
