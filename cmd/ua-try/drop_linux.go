package main

import (
	"slices"

	"ua/cmd/ua-try/internal/landing"
	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/prog"
	uarun "ua/internal/common/run"
)

// drop removes tries, the last one if none is named.
func drop(env *prog.Env, args []string) error {
	fs := prog.Flags()
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	names := fs.Args()
	if len(names) == 0 {
		names = []string{uarun.Last}
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
