//go:build linux

package landing

import (
	"errors"

	"golang.org/x/sys/unix"

	"ua/internal/common/tree"
)

// do does a step, unless it is done already.
func (l *lander) do(s *Step, force bool) error {
	if err := l.finishSwap(s); err != nil {
		return err
	}
	real, slot := l.real(s), l.slot(s)
	now, err := real.Lstat()
	if err != nil {
		return err
	}
	switch s.Kind {
	case Folder:
		return l.makeFolder(s, now)
	case Attrs:
		return l.attributes(s, now, s.After, s.AttrsAfter, s.Natural)
	}
	there, err := slot.Lstat()
	if err != nil {
		return err
	}
	if s.Link != "" && there == nil && !sameInode(s, now) {
		if err := l.link(s); err != nil {
			return err
		}
		if there, err = slot.Lstat(); err != nil {
			return err
		}
	}
	switch {
	case s.Kind == Remove:
		return l.take(s, now, there, force)
	case there == nil || s.Before != nil && there.Ino == s.Before.Ino && now != nil:
		return nil // done before
	// Now the rename is known not to have happened yet.
	case s.Kind == Make && now == nil:
		return moveNew(slot, real)
	case s.Kind == Replace && now != nil && (force || s.Before.Still(now)):
		if err := l.exchange(s); err != nil {
			return err
		}
		return l.verify(s, force)
	}
	return Conflicts{{Path: real.String(), Was: s.Before, Now: now, Try: s.After}}
}

// sameInode reports whether the link of a step is made: another file than before is at
// the path.
func sameInode(s *Step, now *tree.File) bool {
	return now != nil && (s.Before == nil || now.Ino != s.Before.Ino)
}

// verify looks at what an exchange took away, since it may have changed after the step
// looked at the path. If it has, the exchange is turned back.
func (l *lander) verify(s *Step, force bool) error {
	old, err := l.slot(s).Lstat()
	if err != nil || force || old != nil && s.Before.Still(old) {
		return err
	}
	c := Conflict{Path: l.absolute(s.Cover, string(s.Path)), Was: s.Before, Now: old, Try: s.After}
	return errors.Join(Conflicts{c}, l.exchange(s))
}

// take moves what is removed into the slot.
func (l *lander) take(s *Step, now, there *tree.File, force bool) error {
	slot := l.slot(s)
	switch {
	case now == nil, there != nil && now.Ino != s.Before.Ino:
		return closeMoved(slot, s.Before) // done before, or removed by the user too
	case !force && !s.Before.Still(now) && !leftOpen(now, s.Before):
		return Conflicts{{Path: l.absolute(s.Cover, string(s.Path)), Was: s.Before, Now: now}}
	}
	err := moveTree(l.real(s), slot)
	return errors.Join(err, closeMoved(slot, s.Before))
}

// link makes the slot's file as another link to a file of the folder.
func (l *lander) link(s *Step) error {
	return l.covers[s.Cover].At(string(s.Link)).Link(l.slot(s))
}

// makeFolder makes a folder with mode 0700. A later step sets its mode when it is full.
func (l *lander) makeFolder(s *Step, now *tree.File) error {
	if now.IsFolder() {
		return nil
	}
	if now != nil {
		return Conflicts{{Path: l.absolute(s.Cover, string(s.Path)), Now: now, Try: s.After}}
	}
	return l.real(s).Mkdir()
}

// attributes gives a folder the owner, mode, attributes and time that a step wants.
func (l *lander) attributes(s *Step, now, want *tree.File, attributes tree.Attributes,
	natural bool) error {
	if !now.IsFolder() {
		return nil
	}
	if attributes == nil {
		attributes = tree.Attributes{} // none at all, which JSON leaves out
	}
	target := *want
	if natural {
		target.Mtime = now.Mtime
	}
	l.covers[s.Cover].Keep(string(s.Path))
	if err := l.real(s).Apply(now, &target, attributes); !ofAnotherUser(now, err) {
		return err
	}
	return nil
}

// exchange has the path and the slot change places in one step. Where the file system has
// no RENAME_EXCHANGE (rename(2)), three renames do it, and finishSwap finishes those that
// a kill has cut.
func (l *lander) exchange(s *Step) error {
	real, slot, swap := l.real(s), l.slot(s), l.areas[s.Cover].At(swapName)
	err := slot.Rename(real, unix.RENAME_EXCHANGE)
	if !errors.Is(err, unix.EINVAL) {
		return err
	}
	old, err := real.Lstat()
	if err != nil || old == nil {
		return errors.Join(err, unix.ENOENT)
	}
	if err := real.Rename(swap, 0); err != nil {
		return err
	}
	l.swaps[s.Cover] = old
	return l.finishSwap(s)
}

// finishSwap finishes an exchange by renames if the one that was cut is this step's.
func (l *lander) finishSwap(s *Step) error {
	old := l.swaps[s.Cover]
	if old == nil || s.Kind != Replace || old.Ino != s.Before.Ino && old.Ino != s.After.Ino {
		return nil
	}
	real, slot, swap := l.real(s), l.slot(s), l.areas[s.Cover].At(swapName)
	now, err := real.Lstat()
	if err != nil {
		return err
	}
	if now == nil {
		if err := slot.Rename(real, 0); err != nil {
			return err
		}
	}
	l.swaps[s.Cover] = nil
	return swap.Rename(slot, 0)
}
