package main

import (
	"errors"
	"os"
	"strings"

	"ua/cmd/ua-try/internal/landing"
	"ua/cmd/ua-try/internal/manifest"
	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/prog"
)

// apply makes the changes of a try in the folders that it covers, or only those below the
// paths that are named.
func apply(env *prog.Env, args []string) error {
	var o landing.Order
	t, lock, err := readOrder(env, args, &o, true)
	if err != nil {
		return err
	}
	defer lock.Close()
	r, err := landing.Apply(t, o, env.Warnf)
	if r.Finished {
		env.Warnf("%s: finished what was interrupted before", t.ID)
	}
	switch {
	case errors.Is(err, landing.ErrNothing):
		return prog.Errorf(prog.No, "%s: nothing to apply", t.ID)
	case err != nil:
		return explain(env, t, err, "applied", "apply")
	}
	env.Warnf("%s: ua-try undo takes it back", outcome(r, "applied"))
	// prune takes the lock of each try that it looks at.
	lock.Close() // this try counts too
	prune(env)
	return nil
}

// undo takes back all that was applied of a try.
func undo(env *prog.Env, args []string) error {
	var o landing.Order
	t, lock, err := readOrder(env, args, &o, false)
	if err != nil {
		return err
	}
	defer lock.Close()
	if len(o.Paths) > 0 {
		return prog.Errorf(prog.Trouble, "undo takes back a whole try, and no paths alone")
	}
	r, err := landing.Undo(t, o.Force, env.Warnf)
	switch {
	case errors.Is(err, landing.ErrNothing):
		return prog.Errorf(prog.No, "%s: not applied", t.ID)
	case err != nil:
		return explain(env, t, err, "taken back", "undo")
	}
	env.Warnf("%s", outcome(r, "taken back"))
	return nil
}

// readOrder reads the command line of apply and undo into an order, and takes the lock of
// their try, which the caller closes.
func readOrder(env *prog.Env, args []string, o *landing.Order, applies bool) (t *try.Try,
	lock *os.File, err error) {
	fs := prog.Flags()
	fs.BoolVar(&o.Force, "force", false, "")
	if applies {
		fs.BoolVar(&o.SkipRefused, "skip-refused", false, "")
		fs.BoolVar(&o.AllowRefused, "allow-refused", false, "")
	}
	if err = env.Parse(fs, args, help); err != nil {
		return nil, nil, err
	}
	if o.SkipRefused && o.AllowRefused {
		return nil, nil, prog.Errorf(prog.Trouble,
			"--skip-refused and --allow-refused contradict each other")
	}
	t, o.Paths, lock, err = lockNamed(fs.Args())
	return t, lock, err
}

// outcome returns in words what was done, for the person's last line.
func outcome(r landing.Result, what string) string {
	text := strings.TrimSuffix(manifest.Changed(r.Files, r.Folders), " changed")
	if text == "" {
		text = "times of files"
	}
	return text + " " + what
}
