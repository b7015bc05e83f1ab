package runs

import (
	"path/filepath"
	"slices"
	"strings"

	"ua/internal/common/prog"
	"ua/internal/common/run"
)

// Find returns the run in folder, or below one that is there, that name means: its ID,
// the start or the last part of just one ID, "last" for the newest in folder, or
// a path to it.
func Find(folder, name string) (run.Run, error) {
	if strings.ContainsRune(name, '/') {
		return fromPath(folder, name)
	}
	var all []run.Run
	if err := walk(folder, 0, func(r run.Run) { all = append(all, r) }); err != nil {
		return run.Run{}, err
	}
	if name == "last" {
		if newest, err := owned(folder); err == nil && len(newest) > 0 {
			return newest[0], nil
		}
	}
	// A subagent may give its run the ID of another one: that nearest the top is meant.
	slices.SortStableFunc(all, func(a, b run.Run) int {
		return strings.Count(a.Dir, "/") - strings.Count(b.Dir, "/")
	})
	return run.Only(run.Named(all, name), name, "ua ps --all lists the runs")
}

// fromPath returns the run at a path, which must lie where the caller may reach.
func fromPath(folder, path string) (run.Run, error) {
	r, err := run.Find(path)
	if err != nil {
		return r, err
	}
	real, err := filepath.EvalSymlinks(r.Dir)
	root, err2 := filepath.EvalSymlinks(folder)
	if err != nil || !Mine(real) {
		return run.Run{}, prog.Errorf(prog.Trouble, "%q: not a run of yours", path)
	}
	if folder != run.Root() && (err2 != nil || !strings.HasPrefix(real, root+"/")) {
		return run.Run{}, prog.Errorf(prog.Trouble, "%q: not a run below this one", path)
	}
	return run.Run{ID: r.ID, Dir: real}, nil
}
