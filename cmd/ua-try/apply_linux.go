package main

import (
	"errors"
	"os"
	"strings"

	"ua/cmd/ua-try/internal/landing"
	"ua/cmd/ua-try/internal/tree"
	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/prog"
)

// apply makes the changes of a try in the folders that it covers, or only those below the
// paths that are named.
func apply(env *prog.Env, args []string) error {
	t, paths, force, lock, err := landed(env, args)
	if err != nil {
		return err
	}
	defer lock.Close()
	r, err := landing.Apply(t, paths, force, env.Warnf)
	if r.Finished {
		env.Warnf("%s: finished what was cut before", t.ID)
	}
	switch {
	case errors.Is(err, landing.ErrNothing):
		return prog.Errorf(prog.No, "%s: nothing to apply", t.ID)
	case err != nil:
		return told(env, t, err, "applied", "apply")
	}
	env.Warnf("%s: ua-try undo takes it back", done(r, "applied"))
	// prune takes the lock of each try that it looks at.
	lock.Close() // this try counts too
	prune(env)
	return nil
}

// undo takes back all that was applied of a try.
func undo(env *prog.Env, args []string) error {
	t, paths, force, lock, err := landed(env, args)
	if err != nil {
		return err
	}
	defer lock.Close()
	if len(paths) > 0 {
		return prog.Errorf(prog.Trouble, "undo takes back all of a try, no paths")
	}
	r, err := landing.Undo(t, force, env.Warnf)
	switch {
	case errors.Is(err, landing.ErrNothing):
		return prog.Errorf(prog.No, "%s: not applied", t.ID)
	case err != nil:
		return told(env, t, err, "taken back", "undo")
	}
	env.Warnf("%s", done(r, "taken back"))
	return nil
}

// landed reads the command line of apply and undo and takes the lock of their try, which
// the caller closes.
func landed(env *prog.Env, args []string) (t *try.Try, paths []tree.Name, force bool,
	lock *os.File,
	err error) {
	fs := prog.Flags()
	fs.BoolVar(&force, "force", false, "")
	if err = env.Parse(fs, args, help); err == nil {
		t, paths, lock, err = locked(fs.Args())
	}
	return t, paths, force, lock, err
}

// done returns in words what was done, for the person's last line.
func done(r landing.Result, what string) string {
	text := strings.TrimSuffix(changes(r.Files, r.Folders), " changed")
	if text == "" {
		text = "times of files"
	}
	return text + " " + what
}
