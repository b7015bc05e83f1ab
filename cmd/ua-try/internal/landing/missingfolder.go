//go:build linux

package landing

import (
	"errors"
	"path"
	"strconv"

	"golang.org/x/sys/unix"

	"ua/internal/common/tree"
)

// way makes the folders on the way to a step's path that somebody has removed since. What
// stands in their place is kept aside with force, and is a conflict without it.
func (l *lander) way(s *Step, force bool) error {
	real := l.covers[s.Cover]
	for {
		dir, now, err := noFolder(l.real(s))
		if err != nil || dir == "" {
			return err
		}
		full := l.absolute(s.Cover, dir)
		if !force {
			return Conflicts{{Path: full, Now: now, Try: &tree.File{Type: tree.Folder}}}
		}
		if now != nil {
			if err := l.setAside(s, dir); err != nil {
				return err
			}
			l.say("%s: what stood in the place of a folder is kept in the try", full)
		}
		made := real.At(dir)
		if err := made.Mkdir(); err != nil {
			return err
		}
		// That of the folder which holds a changed file has a step of its own.
		up, err := real.At(path.Dir(dir)).Lstat()
		if err != nil || up == nil {
			return errors.Join(err, unix.ENOENT)
		}
		_ = made.Chmod(nil, up.Mode|0o700)
	}
}

// clear keeps aside what somebody has put at a path, and below it, to which the tree in a
// slot goes back.
func (l *lander) clear(s *Step, rel, slot string) error {
	now, err := l.covers[s.Cover].At(rel).Lstat()
	if err != nil || now == nil {
		return err
	}
	there, err := l.areas[s.Cover].At(slot).Lstat()
	if err != nil || there == nil {
		return err
	}
	if !now.IsFolder() || !there.IsFolder() {
		return l.setAside(s, rel)
	}
	names, err := l.areas[s.Cover].At(slot).Names()
	if errors.Is(err, unix.EACCES) {
		return nil // the move tells
	}
	for _, name := range names {
		if err := l.clear(s, path.Join(rel, name), path.Join(slot, name)); err != nil {
			return err
		}
	}
	return err
}

// later is added to the name of a slot for what an undo found in the way.
const later = ".later"

// setAside keeps what somebody has put at the step's path or on the way to it, under a free
// name in the area.
func (l *lander) setAside(s *Step, rel string) error {
	real := l.covers[s.Cover]
	for n := 0; ; n++ {
		to := asideName(l.slot(s), n)
		there, err := to.Lstat()
		if err != nil {
			return err
		}
		if there != nil {
			continue
		}
		return moveTree(real.At(rel), to)
	}
}

// asideName returns the n-th name for what was in the way of a slot.
func asideName(slot tree.Place, n int) tree.Place {
	slot.Path += later
	if n > 0 {
		slot.Path += strconv.Itoa(n)
	}
	return slot
}

// keepLater saves, from areas in covers, what others had put in the place of landed files
// and a forced undo took away.
func (l *lander) keepLater(p *Plan) error {
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Slot == "" || !l.staged(p, s.Cover) {
			continue
		}
		at := l.slot(s)
		f, err := at.Lstat()
		if err != nil {
			return err
		}
		home := l.kept(p).Join(strconv.Itoa(i))
		// What the slot holds now is not what was landed: somebody has changed it.
		if f != nil && s.Kind != Remove && !s.After.Still(f) {
			if err := copyOnce(at, asideName(home, 0), map[uint64]tree.Place{}); err != nil {
				return err
			}
		}
		for n := 0; ; n++ {
			from := asideName(at, n)
			if f, err := from.Lstat(); err != nil || f == nil {
				if err != nil {
					return err
				}
				break
			}
			if err := copyOnce(from, asideName(home, n+1), map[uint64]tree.Place{}); err != nil {
				return err
			}
		}
	}
	return nil
}
