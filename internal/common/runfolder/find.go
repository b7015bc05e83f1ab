package runfolder

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/safefile"
)

// Find returns the run that name means, among the runs in the folder and those below
// them: by its ID, the beginning or the last part of exactly one ID, "last" for the
// newest in the folder, or a path.
func Find(folder, name string) (run.Run, error) {
	if strings.ContainsRune(name, '/') {
		return fromPath(folder, name)
	}
	// What lies at the top is not looked for below, where commands can make any number.
	newest, err := owned(folder)
	if i := slices.IndexFunc(newest, func(r run.Run) bool {
		return r.ID == name || name == run.Last
	}); i >= 0 && err == nil {
		return newest[i], nil
	}
	var all []run.Run
	if err := Each(folder, func(r run.Run) { all = append(all, r) }); err != nil {
		return run.Run{}, err
	}
	// A subagent may give its run the ID of another. The run nearest to the top is meant.
	slices.SortStableFunc(all, func(a, b run.Run) int {
		return strings.Count(a.Dir, "/") - strings.Count(b.Dir, "/")
	})
	if i := slices.IndexFunc(all, func(r run.Run) bool { return r.ID == name }); i >= 0 {
		return all[i], nil
	}
	if name == run.Last {
		return run.Run{}, prog.Errorf(prog.Trouble, "there are no runs yet").Hintf(`ua "task" makes one`)
	}
	id := func(r run.Run) []string { return []string{r.ID} }
	return run.Pick(all, id, name, "run", "runs", "ua ps --all")
}

// LastIn returns the newest run in the folder of runs that works in the folder dir.
func LastIn(folder, dir string) (run.Run, error) {
	found, err := owned(folder)
	if err != nil {
		return run.Run{}, err
	}
	here, err := os.Stat(dir)
	if err != nil {
		return run.Run{}, prog.Errorf(prog.Trouble, "%q: %v", dir, errors.Unwrap(err))
	}
	for _, r := range found {
		line := Begin(r)
		for _, place := range []string{event.Str(line, "cwd"),
			gjson.GetBytes(line, "options.directory").Str} {
			if there, err := os.Stat(place); err == nil && os.SameFile(here, there) {
				return r, nil
			}
		}
	}
	return run.Run{}, prog.Errorf(prog.Trouble, "no run of this folder can be resumed").
		Hintf("ua ps --all lists the runs; ua resume last goes on with the newest of all")
}

// Begin returns the first line of a run's journal, nil without one.
func Begin(r run.Run) []byte {
	f, err := safefile.Open(r.Journal())
	if err != nil {
		return nil
	}
	defer f.Close()
	line, err := event.NewReader(io.LimitReader(f, event.MaxLine)).Line()
	if err != nil {
		return nil
	}
	return bytes.Clone(line)
}

// fromPath returns the run whose folder, or a file in whose folder, is at path. It must belong
// to the user and lie below folder, unless folder is the root of all runs. Links are resolved
// first, so that they cannot lead elsewhere.
func fromPath(folder, path string) (run.Run, error) {
	info, err := os.Stat(path)
	if err != nil {
		return run.Run{}, prog.Errorf(prog.Trouble, "%q: %v", path, errors.Unwrap(err))
	}
	if !info.IsDir() {
		path = filepath.Dir(path)
	}
	real, err := filepath.Abs(path)
	if err == nil {
		real, err = filepath.EvalSymlinks(real)
	}
	root, err2 := filepath.EvalSymlinks(folder)
	if err != nil || !Mine(real) {
		return run.Run{}, prog.Errorf(prog.Trouble, "%q: not a run of yours", path)
	}
	if folder != run.Root() && (err2 != nil || !strings.HasPrefix(real, root+"/")) {
		return run.Run{}, prog.Errorf(prog.Trouble, "%q: not a run below this one", path)
	}
	r := run.Run{ID: filepath.Base(real), Dir: real}
	if _, err := os.Lstat(r.Journal()); err != nil && !IsID(r.ID) { // a new one has no journal yet
		return r, prog.Errorf(prog.Trouble, "%q: not a run: there is no %s", path, run.JournalFile)
	}
	return r, nil
}
