package runs

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"ua/internal/common/run"
)

// List returns the runs in a folder and, below each, those of its subagents; oldest
// first. Folders of other users are passed over.
func List(folder string) ([]*Info, error) { return list(folder, above(folder), 0) }

// Tree returns a run and, below it, those of its subagents.
func Tree(r run.Run) (*Info, error) { return tree(r, above(filepath.Dir(r.Dir)), 0) }

// Subagent returns a subagent's run and those below it. seen is what the gateway above has
// seen of them, nil where there is none.
func Subagent(r run.Run, seen *Ledger) (*Info, error) {
	if seen == nil {
		seen = &Ledger{}
	}
	return tree(r, seen.Clone(), 0)
}

// tree reads a run and those below it. seen vouches for subagents; a run at the top, for
// which it is nil, is written by its driver alone and vouches for those below it.
func tree(r run.Run, seen *Ledger, depth int) (*Info, error) {
	i := Read(r)
	if seen != nil {
		seen.vouch(i)
	}
	return i, i.descend(seen, depth)
}

// descend fills in the runs below a run.
func (i *Info) descend(seen *Ledger, depth int) (err error) {
	if seen == nil {
		seen = i.Ledger.Clone()
	}
	i.Children, err = list(filepath.Join(i.Dir, run.SubFolder), seen, depth+1)
	return err
}

// list reads the runs in a folder before those below them: of two with one name, that
// nearer the top is vouched for.
func list(folder string, seen *Ledger, depth int) (infos []*Info, err error) {
	if depth > deepest {
		return nil, nil
	}
	found, err := owned(folder)
	for _, r := range slices.Backward(found) {
		i := Read(r)
		if seen != nil {
			seen.vouch(i)
		}
		infos = append(infos, i)
	}
	for _, i := range infos {
		err = errors.Join(err, i.descend(seen, depth))
	}
	return infos, err
}

// owned returns the runs in a folder that belong to this user, newest first. A link in
// the folder's place is not followed.
func owned(folder string) ([]run.Run, error) {
	if info, err := os.Lstat(folder); err != nil || !info.IsDir() {
		return nil, nil
	}
	found, err := run.List(folder)
	return slices.DeleteFunc(found, func(r run.Run) bool { return !Mine(r.Dir) }), err
}

// Mine reports whether the folder is one, and this user's.
func Mine(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

// Each calls do with each run in folder and below, newest first.
func Each(folder string, do func(run.Run)) error { return walk(folder, 0, do) }

// walk calls do with each run in folder and below, newest first.
func walk(folder string, depth int, do func(run.Run)) error {
	if depth > deepest {
		return nil
	}
	found, err := owned(folder)
	for _, r := range found {
		do(r)
		if err := walk(filepath.Join(r.Dir, run.SubFolder), depth+1, do); err != nil {
			return err
		}
	}
	return err
}
