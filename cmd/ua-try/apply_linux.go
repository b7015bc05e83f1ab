package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"ua/cmd/ua-try/internal/landing"
	"ua/cmd/ua-try/internal/manifest"
	"ua/cmd/ua-try/internal/tree"
	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/prog"
	runs "ua/internal/common/run"
	"ua/internal/common/style"
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

// drop removes tries, the last one if none is named.
func drop(env *prog.Env, args []string) error {
	fs := prog.Flags()
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	names := fs.Args()
	if len(names) == 0 {
		names = []string{runs.Last}
	}
	var dirs []string
	for _, name := range names { // a name that is wrong drops nothing
		t, err := try.Find(name)
		if err != nil {
			return err
		}
		if !slices.Contains(dirs, t.Dir) {
			dirs = append(dirs, t.Dir)
		}
	}
	for _, dir := range dirs {
		if err := dropOne(dir); err != nil {
			return err
		}
	}
	return nil
}

// dropOne removes the try in a folder. It refuses one whose apply or undo was cut: the
// try may then hold the only copy of files of the folders that it covers.
func dropOne(dir string) error {
	t, _, lock, err := lockNamed([]string{dir})
	if err != nil {
		return err
	}
	defer lock.Close()
	if plans, err := landing.Plans(t); err == nil && landing.Underway(plans) {
		return prog.Errorf(prog.No, "%s: an apply or undo of it was interrupted", t.ID).
			Hintf("ua-try apply %s finishes it, ua-try undo %s takes it back; then drop it", t.ID,
				t.ID)
	}
	return landing.Drop(t)
}

// explain prints the conflicts of an error with both sides of each, and returns the error
// for the person. Any other error is returned as it is.
func explain(env *prog.Env, t *try.Try, err error, what, verb string) error {
	var refused landing.Refusals
	if errors.As(err, &refused) {
		for _, r := range refused {
			env.Warnf("%s: refused: %s", tree.Shown(r.Path), r.Why)
		}
		return prog.Errorf(prog.No, "%s: nothing was applied: by %s git would run a program, obey "+
			"other files or show other content", t.ID, style.Plural(int64(len(refused)), "change")).
			Hintf("look at it with ua-try diff %s PATH; then ua-try apply --skip-refused %s applies "+
				"the rest, and --allow-refused all of it", t.ID, t.ID)
	}
	var conflicts landing.Conflicts
	if !errors.As(err, &conflicts) {
		return err
	}
	authors := landing.Authors(t)
	for _, c := range conflicts {
		by := ""
		if id := authors[c.Path]; id != "" {
			by = ", by try " + id
		}
		env.Warnf("%s: changed since%s", tree.Shown(c.Path), by)
		env.Warnf("  in the folder: %s", side(c.Now))
		env.Warnf("  in the try:    %s", side(c.Try))
	}
	e := prog.Errorf(prog.No, "%s: nothing was %s: %s", t.ID, what,
		style.Plural(int64(len(conflicts)), "conflict"))
	if verb == "undo" {
		return e.Hintf("ua-try undo --force %s puts back what was there; what is there now is kept in "+
			"the try", t.ID)
	}
	return e.Hintf("ua-try diff %s PATH compares the two; ua-try apply --force %s PATH takes the "+
		"try's", t.ID, t.ID)
}

// side describes one side of a conflict in words.
func side(f *tree.File) string {
	switch {
	case f == nil:
		return "nothing"
	case f.Type == tree.Symlink:
		return fmt.Sprintf("link to %q", string(f.Target))
	case f.IsFolder() && f.Mtime == 0: // that it was one is all that is known
		return "folder"
	}
	when := time.Unix(0, int64(f.Mtime)).Format("2006-01-02 15:04:05")
	if f.Type != tree.Regular {
		return fmt.Sprintf("%s, mode %04o, of %s", f.Type, uint32(f.Mode), when)
	}
	return fmt.Sprintf("file of %s, mode %04o, of %s", style.Plural(f.Size, "byte"), uint32(f.Mode),
		when)
}
