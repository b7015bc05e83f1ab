package runs

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"ua/internal/common/run"
)

// List returns the runs in a folder, oldest first, each with its subagents below it.
// Folders of other users are skipped.
func List(folder string) ([]*Info, error) { return list(folder, above(folder), 0) }

// Tree returns a run with its subagents below it.
func Tree(r run.Run) (*Info, error) { return tree(r, above(filepath.Dir(r.Dir)), 0) }

// Subagent returns the run of a subagent with those below it. seen is what the gateway
// above has seen of them, or nil without a gateway.
func Subagent(r run.Run, seen *Ledger) (*Info, error) {
	if seen == nil {
		seen = &Ledger{}
	}
	return tree(r, seen.Clone(), 0)
}

// tree reads a run and those below it. seen vouches for subagents. It is nil for a run at
// the top, which only its driver writes and whose own ledger then vouches for those
// below.
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

// list reads all runs in a folder before the runs below them. Of two runs with the same
// name the one nearer to the top then gets what the ledger has under that name.
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
// place of the folder is not followed.
func owned(folder string) ([]run.Run, error) {
	if info, err := os.Lstat(folder); err != nil || !info.IsDir() {
		return nil, nil
	}
	found, err := run.List(folder)
	return slices.DeleteFunc(found, func(r run.Run) bool { return !Mine(r.Dir) }), err
}

// Mine reports whether dir is a folder, not a link, that belongs to this user.
func Mine(dir string) bool {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

// Each calls do for every run in the folder and below, newest first in each folder.
func Each(folder string, do func(run.Run)) error { return walk(folder, 0, do) }

// walk is Each for a folder that is depth levels below the first.
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
