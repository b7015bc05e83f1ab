//go:build linux

package landing

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/tree"
)

// undo takes a step back, unless that is done already.
func (l *lander) undo(s *Step, force bool) error {
	if err := l.undoStep(s, force); err != nil || s.Link == "" {
		return err
	}
	// A further name of a file that stays is made anew by another apply.
	there, err := l.areas[s.Cover].lstat(string(s.Slot))
	if err != nil || there == nil {
		return err
	}
	other, err := l.covers[s.Cover].lstat(string(s.Link))
	if err != nil || other == nil || other.Ino != there.Ino {
		return err
	}
	slot, err := l.areas[s.Cover].at(string(s.Slot))
	if err != nil {
		return err
	}
	return os.Remove(slot)
}

// undoStep takes a step back, except for the link in its slot.
func (l *lander) undoStep(s *Step, force bool) error {
	if err := l.finishSwap(s); err != nil {
		return err
	}
	real, p := l.covers[s.Cover], string(s.Path)
	now, err := real.lstat(p)
	if err != nil {
		return err
	}
	switch s.Kind {
	case Folder:
		real.forget()
		if !now.IsFolder() {
			return nil
		}
		return l.removeFolder(s)
	case Attrs:
		return l.attributes(s, now, s.Before, s.AttrsBefore, false)
	}
	there, err := l.areas[s.Cover].lstat(string(s.Slot))
	if err != nil {
		return err
	}
	switch s.Kind {
	case Make:
		if now == nil || there != nil || l.cut[l.absolute(s.Cover, p)][now.Ino] {
			return nil // never done, or taken back before
		}
		return l.rights(s, func() error {
			return moveNew(real, p, l.areas[s.Cover],
				string(s.Slot))
		})
	case Remove:
		return l.bringBack(s, there, force)
	}
	return l.changeBack(s, now, there, force)
}

// bringBack moves what was removed from the slot to its path.
func (l *lander) bringBack(s *Step, there *tree.File, force bool) error {
	real, area, p, slot := l.covers[s.Cover], l.areas[s.Cover], string(s.Path), string(s.Slot)
	if there == nil {
		return closeMoved(real, p, s.Before)
	}
	if err := l.way(s, force); err != nil {
		return err
	}
	if err := l.clear(s, p, slot); err != nil {
		return err
	}
	real.forget()
	err := l.rights(s, func() error { return moveTree(area, slot, real, p) })
	return errors.Join(err, closeMoved(real, p, s.Before))
}

// changeBack has what was replaced and what replaced it change places again.
func (l *lander) changeBack(s *Step, now, there *tree.File, force bool) error {
	real, area, p, slot := l.covers[s.Cover], l.areas[s.Cover], string(s.Path), string(s.Slot)
	switch {
	case there == nil || there.Ino != s.Before.Ino && !force || now != nil &&
		now.Ino == s.Before.Ino:
		return nil
	case now.IsFolder() && !force:
		return Conflicts{{Path: l.absolute(s.Cover, p), Was: s.After, Now: now, Try: s.Before}}
	case now.IsFolder():
		if err := l.aside(s, p); err != nil {
			return err
		}
		now = nil
	}
	if now == nil {
		if err := l.way(s, force); err != nil {
			return err
		}
		return l.rights(s, func() error { return moveNew(area, slot, real, p) })
	}
	return l.rights(s, func() error { return l.exchange(s) })
}

// removeFolder removes a folder that the plan made. It stays if somebody has put
// something into it.
func (l *lander) removeFolder(s *Step) error {
	return l.rights(s, func() error {
		p, err := l.covers[s.Cover].at(string(s.Path))
		if err != nil {
			return err
		}
		switch err := unix.Rmdir(p); err {
		case nil, unix.ENOENT:
			return nil
		case unix.ENOTEMPTY, unix.EEXIST:
			l.say("%s: stays, it is not empty", l.absolute(s.Cover, string(s.Path)))
			return nil
		default:
			return &os.PathError{Op: "rmdir", Path: l.absolute(s.Cover, string(s.Path)), Err: err}
		}
	})
}
