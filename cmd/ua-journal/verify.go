package main

import (
	"slices"

	"ua/cmd/ua-journal/internal/store"
	"ua/internal/common/prog"
	"ua/internal/common/style"
)

// verifyVerb walks the chain of hashes and looks at the media. It exits 1 when
// something was changed, and names the first such line.
func verifyVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	all := fs.Bool("all", false, "")
	expect := fs.String("expect", "", "")
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	paths, err := several(fs.Args(), *all)
	if err != nil {
		return err
	}
	if slices.Contains(fs.Args(), "audit") {
		return prog.Errorf(prog.Trouble, "the audit log has no chain of hashes, since any number of "+
			"runs write it").Hintf("verify --all checks the runs")
	}
	broken := false
	for _, path := range paths {
		j, size, err := store.Open(path)
		if err != nil {
			return err
		}
		c, err := store.Verify(j, size, *expect)
		j.Close()
		switch {
		case err != nil:
			warn(env, path)(err)
			broken = true
		default:
			env.Printf("%s: ok: %s\n", style.Printable(path), c)
		}
	}
	if broken {
		return prog.Exit(prog.No)
	}
	return nil
}
