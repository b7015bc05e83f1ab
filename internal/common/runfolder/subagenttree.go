package runfolder

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"ua/internal/common/run"
)

// List returns the runs in a folder, oldest first, each with its subagents below it.
// Folders of other users are skipped.
func List(folder string) (infos []*Info, err error) {
	if seen := above(folder); seen != nil {
		l := newLook(seen)
		few, _ := someOf(folder, nil, l.runs)
		return l.read(few, 0)
	}
	found, err := owned(folder)
	for _, r := range slices.Backward(found) {
		i, err2 := Tree(r)
		infos, err = append(infos, i), errors.Join(err, err2)
	}
	return infos, err
}

// Tree returns a run with its subagents below it. A run at the top is written only by its
// driver: its own ledger vouches for those below.
func Tree(r run.Run) (*Info, error) {
	if seen := above(filepath.Dir(r.Dir)); seen != nil {
		return newLook(seen).tree(r)
	}
	i := Read(r)
	return i, newLook(&i.Ledger).descend(i, 1)
}

// Subagent returns the run of a subagent with those below it. seen is what the gateway
// above has seen of them, or nil without a gateway. The bytes that are read of journals are
// taken away from bytes; when none are left, both ends of each are read.
func Subagent(r run.Run, seen *Ledger, bytes *int64) (*Info, error) {
	if seen == nil {
		seen = &Ledger{}
	}
	l := newLook(seen)
	l.bytes = *bytes
	defer func() { *bytes = l.bytes }()
	return l.tree(r)
}

// A look bounds what is read of the runs below one, whose folders commands can write.
type look struct {
	seen  *Ledger // vouches for subagents
	runs  int     // that may still be read
	bytes int64   // of their journals
}

// newLook returns a look that uses up a copy of the ledger.
func newLook(seen *Ledger) *look { return &look{seen.Clone(), belowMax, readMax} }

// tree reads the run of a subagent and those below it.
func (l *look) tree(r run.Run) (*Info, error) {
	list, err := l.read([]run.Run{r}, 0)
	return list[0], err
}

// read reads runs before those below them. Of two runs with the same name the one nearer
// to the top then gets what the ledger has under that name.
func (l *look) read(found []run.Run, depth int) (infos []*Info, err error) {
	for _, r := range found[:min(len(found), l.runs)] {
		i := readSome(r, &l.bytes)
		l.seen.vouch(i)
		infos = append(infos, i)
	}
	l.runs -= len(infos)
	for _, i := range infos {
		err = errors.Join(err, l.descend(i, depth+1))
	}
	return infos, err
}

// descend fills in the runs below a run.
func (l *look) descend(i *Info, depth int) (err error) {
	if depth > deepest {
		return nil
	}
	var found []run.Run
	found, i.More = someOf(filepath.Join(i.Dir, run.SubFolder), i.started, l.runs)
	i.Children, err = l.read(found, depth)
	return err
}

// someOf returns at most so many of the runs in a folder, oldest first, and whether there may
// be more: those that the record of the run above names, and a few others, which began just
// now or whose parent was killed.
func someOf(folder string, named []string, most int) (found []run.Run, more bool) {
	for _, id := range named {
		found = append(found, run.Run{ID: id, Dir: filepath.Join(folder, id)})
	}
	others, _ := some(folder, len(named)+strangersMax)
	more = len(others) >= len(named)+strangersMax
	for _, r := range others {
		if !slices.Contains(named, r.ID) {
			found = append(found, r)
		}
	}
	found = slices.DeleteFunc(found, func(r run.Run) bool { return !Mine(r.Dir) })
	if most = min(most, len(named)+strangersMax); len(found) > most {
		found, more = found[:most], true
	}
	slices.SortFunc(found, func(a, b run.Run) int { return strings.Compare(a.ID, b.ID) })
	return found, more
}

// owned returns the runs in a folder that belong to this user, newest first. A link in
// place of the folder is not followed.
func owned(folder string) ([]run.Run, error) { return some(folder, -1) }

// some is owned for the first runs that the folder lists: no more than most, unless that is
// negative.
func some(folder string, most int) ([]run.Run, error) {
	if info, err := os.Lstat(folder); err != nil || !info.IsDir() {
		return nil, nil
	}
	found, err := run.First(folder, most)
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
func Each(folder string, do func(run.Run)) error {
	all := -1
	return walk(folder, 0, &all, do)
}

// Some is Each for what need not be complete: of the runs below one in the folder, no more
// than belowMax.
func Some(folder string, do func(run.Run)) error {
	top, err := owned(folder)
	for _, r := range top {
		do(r)
		err = errors.Join(err, Below(r, do))
	}
	return err
}

// Below calls do for runs below one, no more than belowMax.
func Below(r run.Run, do func(run.Run)) error {
	left := belowMax
	return walk(filepath.Join(r.Dir, run.SubFolder), 1, &left, do)
}

// walk is Each for a folder that is depth levels below the first. Unless left is negative,
// it is how many runs are still to be looked at.
func walk(folder string, depth int, left *int, do func(run.Run)) error {
	if depth > deepest {
		return nil
	}
	found, err := some(folder, *left)
	if *left >= 0 {
		*left -= len(found)
	}
	for _, r := range found {
		do(r)
		if err := walk(filepath.Join(r.Dir, run.SubFolder), depth+1, left, do); err != nil {
			return err
		}
	}
	return err
}
