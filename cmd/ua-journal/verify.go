package main

import (
	"os"

	"ua/cmd/ua-journal/internal/store"
	"ua/internal/common/prog"
	"ua/internal/common/style"
)

// verifyVerb checks the chain of hashes and the media. Its status is 1 if something was
// changed, and it names the first such line.
func verifyVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	all := fs.Bool("all", false, "")
	checks := fs.Bool("checks", false, "")
	expect := fs.String("expect", "", "")
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	paths, err := several(fs.Args(), *all)
	if err != nil {
		return err
	}
	broken := false
	err = eachJournal(paths, func(j *os.File, size int64) error {
		c, err := store.Verify(j, size, *expect)
		if err == nil && *checks {
			err = printChecks(env, j, size)
		}
		if err != nil {
			warn(env, j.Name())(err)
			broken = true
		} else {
			env.Printf("%s: ok: %s\n", style.Printable(j.Name()), c)
		}
		return nil
	})
	if err == nil && broken {
		err = prog.Exit(prog.No)
	}
	return err
}
