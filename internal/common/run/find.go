package run

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ua/internal/common/prog"
)

// Last is the word for the newest run, and in ua-try for the newest try.
const Last = "last"

// Find returns the run that name stands for: the path (with a slash) of a run's folder or
// journal, an ID, the start of exactly one ID, or Last. Runs of subagents are found
// only by their whole ID or path.
func Find(name string) (Run, error) {
	if strings.ContainsRune(name, '/') {
		return fromPath(name)
	}
	runs, err := List(Root())
	if err != nil {
		return Run{}, err
	}
	if name == Last && len(runs) > 0 {
		return runs[0], nil
	}
	found := Named(runs, name)
	if len(found) == 0 {
		if r, ok := findSub(name); ok {
			return r, nil
		}
	}
	return Only(found, name, "ua-journal ls lists the runs")
}

// Named returns the runs that name stands for: the one with that ID, or all whose ID
// begins with it or has it as the last part.
func Named(runs []Run, name string) (found []Run) {
	for _, r := range runs {
		if r.ID == name {
			return []Run{r}
		}
		if name != "" && (strings.HasPrefix(r.ID, name) || strings.HasSuffix(r.ID, "-"+name)) {
			found = append(found, r)
		}
	}
	return found
}

// Only returns the one run that Named found for a name. If there is not exactly one, the
// error says why. The hint tells where runs are listed.
func Only(found []Run, name, hint string) (Run, error) {
	switch len(found) {
	case 0:
		if name == Last {
			return Run{}, prog.Errorf(prog.Trouble, "there are no runs yet").Hintf(`ua "task" makes one`)
		}
		return Run{}, prog.Errorf(prog.Trouble, "%q: no such run", name).Hintf("%s", hint)
	case 1:
		return found[0], nil
	}
	return Run{}, prog.Errorf(prog.Trouble, "%q: matches %d runs", name, len(found)).
		Hintf("%s and %s are two of them", found[0].ID, found[1].ID)
}

// fromPath returns the run whose folder, or a file in whose folder, is at path.
func fromPath(path string) (Run, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Run{}, prog.Errorf(prog.Trouble, "%q: %v", path, errors.Unwrap(err))
	}
	dir := path
	if !info.IsDir() {
		dir = filepath.Dir(path)
	}
	dir, err = filepath.Abs(dir)
	return Run{filepath.Base(dir), dir}, err
}

// findSub looks for a run of a subagent by its whole ID.
func findSub(id string) (r Run, ok bool) {
	filepath.WalkDir(Root(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || ok {
			return nil
		}
		if d.Name() == id && filepath.Base(filepath.Dir(path)) == "sub" {
			r, ok = Run{id, path}, true
		}
		return nil
	})
	return r, ok
}
