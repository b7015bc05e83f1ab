//go:build linux

package landing

import (
	"errors"

	"golang.org/x/sys/unix"

	"ua/internal/common/tree"
)

// undo takes a step back, unless that is done already.
func (l *lander) undo(s *Step, force bool) error {
	if err := l.undoStep(s, force); err != nil || s.Link == "" {
		return err
	}
	// A further name of a file that stays is made anew by another apply.
	there, err := l.slot(s).Lstat()
	if err != nil || there == nil {
		return err
	}
	other, err := l.covers[s.Cover].At(string(s.Link)).Lstat()
	if err != nil || other == nil || other.Ino != there.Ino {
		return err
	}
	return l.slot(s).Unlink()
}

// undoStep takes a step back, except for the link in its slot.
func (l *lander) undoStep(s *Step, force bool) error {
	if err := l.finishSwap(s); err != nil {
		return err
	}
	now, err := l.real(s).Lstat()
	if err != nil {
		return err
	}
	switch s.Kind {
	case Folder:
		if !now.IsFolder() {
			return nil
		}
		return l.removeFolder(s)
	case Attrs:
		return l.attributes(s, now, s.Before, s.AttrsBefore, false)
	}
	there, err := l.slot(s).Lstat()
	if err != nil {
		return err
	}
	switch s.Kind {
	case Make:
		if now == nil || there != nil || l.cut[l.real(s).String()][now.Ino] {
			return nil // never done, or taken back before
		}
		return moveNew(l.real(s), l.slot(s))
	case Remove:
		return l.bringBack(s, there, force)
	}
	return l.changeBack(s, now, there, force)
}

// bringBack moves what was removed from the slot to its path.
func (l *lander) bringBack(s *Step, there *tree.File, force bool) error {
	real := l.real(s)
	if there == nil {
		return closeMoved(real, s.Before)
	}
	if err := l.way(s, force); err != nil {
		return err
	}
	if err := l.clear(s, string(s.Path), string(s.Slot)); err != nil {
		return err
	}
	err := moveTree(l.slot(s), real)
	return errors.Join(err, closeMoved(real, s.Before))
}

// changeBack has what was replaced and what replaced it change places again.
func (l *lander) changeBack(s *Step, now, there *tree.File, force bool) error {
	real := l.real(s)
	switch {
	case there == nil || there.Ino != s.Before.Ino && !force || now != nil &&
		now.Ino == s.Before.Ino:
		return nil
	case now.IsFolder() && !force:
		return Conflicts{{Path: real.String(), Was: s.After, Now: now, Try: s.Before}}
	case now.IsFolder():
		if err := l.setAside(s, string(s.Path)); err != nil {
			return err
		}
		now = nil
	}
	if now == nil {
		if err := l.way(s, force); err != nil {
			return err
		}
		return moveNew(l.slot(s), real)
	}
	return l.exchange(s)
}

// removeFolder removes a folder that the plan made. It stays if somebody has put
// something into it.
func (l *lander) removeFolder(s *Step) error {
	real := l.real(s)
	err := real.Rmdir()
	switch {
	case errors.Is(err, unix.ENOENT):
		return nil
	case errors.Is(err, unix.ENOTEMPTY), errors.Is(err, unix.EEXIST):
		l.say("%s: kept, because it is not empty", real)
		return nil
	}
	return err
}
