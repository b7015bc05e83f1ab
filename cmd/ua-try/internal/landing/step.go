//go:build linux

package landing

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/tree"
)

// do does a step, unless it is done already.
func (l *lander) do(s *Step, force bool) error {
	if err := l.finishSwap(s); err != nil {
		return err
	}
	real, area, p, slot := l.covers[s.Cover], l.areas[s.Cover], string(s.Path), string(s.Slot)
	now, err := real.lstat(p)
	if err != nil {
		return err
	}
	switch s.Kind {
	case Folder:
		return l.makeFolder(s, now)
	case Attrs:
		return l.attributes(s, now, s.After, s.AttrsAfter, s.Natural)
	}
	there, err := area.lstat(slot)
	if err != nil {
		return err
	}
	if s.Link != "" && there == nil && !sameInode(s, now) {
		if err := l.link(s); err != nil {
			return err
		}
		if there, err = area.lstat(slot); err != nil {
			return err
		}
	}
	switch {
	case s.Kind == Remove:
		return l.take(s, now, there, force)
	case there == nil || s.Before != nil && there.Ino == s.Before.Ino && now != nil:
		return nil // done before
	case s.Kind == Make && now == nil:
		return l.rights(s, func() error { return moveNew(area, slot, real, p) })
	case s.Kind == Replace && now != nil && (force || s.Before.Still(now)):
		if err := l.rights(s, func() error { return l.exchange(s) }); err != nil {
			return err
		}
		return l.verify(s, force)
	}
	return Conflicts{{Path: l.absolute(s.Cover, p), Was: s.Before, Now: now, Try: s.After}}
}

// sameInode reports whether a link is made: the path is one with the file it links to.
func sameInode(s *Step, now *tree.File) bool {
	return now != nil && (s.Before == nil || now.Ino != s.Before.Ino)
}

// verify looks at what an exchange took away: it may have been changed since
// the step looked at the path.
func (l *lander) verify(s *Step, force bool) error {
	old, err := l.areas[s.Cover].lstat(string(s.Slot))
	if err != nil || force || old != nil && s.Before.Still(old) {
		return err
	}
	c := Conflict{Path: l.absolute(s.Cover, string(s.Path)), Was: s.Before, Now: old, Try: s.After}
	return errors.Join(Conflicts{c}, l.exchange(s))
}

// take moves what is removed to the slot.
func (l *lander) take(s *Step, now, there *tree.File, force bool) error {
	real, area := l.covers[s.Cover], l.areas[s.Cover]
	switch {
	case now == nil, there != nil && now.Ino != s.Before.Ino:
		return closeMoved(area, string(s.Slot), s.Before) // done before, or removed by the user too
	case !force && !s.Before.Still(now) && !leftOpen(now, s.Before):
		return Conflicts{{Path: l.absolute(s.Cover, string(s.Path)), Was: s.Before, Now: now}}
	}
	err := l.rights(s, func() error { return moveTree(real, string(s.Path), area, string(s.Slot)) })
	real.forget()
	return errors.Join(err, closeMoved(area, string(s.Slot), s.Before))
}

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

// changeBack has what was replaced change places again with what replaced it.
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

// moveNew renames a file to where nothing is.
func moveNew(from *root, old string, to *root, new string) error {
	err := move(from, old, to, new, unix.RENAME_NOREPLACE)
	if !errors.Is(err, unix.EINVAL) { // what a file system says that knows no flags
		return err
	}
	if f, err := to.lstat(new); err != nil || f != nil {
		return errors.Join(err, fmt.Errorf("%s: %w", filepath.Join(to.dir, new), unix.EEXIST))
	}
	return move(from, old, to, new, 0)
}

// exchange has the path and the slot change places at once; or, where the file
// system can't, by three renames of which finishSwap finishes what is left.
func (l *lander) exchange(s *Step) error {
	real, area, p, slot := l.covers[s.Cover], l.areas[s.Cover], string(s.Path), string(s.Slot)
	err := move(area, slot, real, p, unix.RENAME_EXCHANGE)
	if !errors.Is(err, unix.EINVAL) {
		return err
	}
	old, err := real.lstat(p)
	if err != nil || old == nil {
		return errors.Join(err, unix.ENOENT)
	}
	if err := move(real, p, area, swapName, 0); err != nil {
		return err
	}
	l.swaps[s.Cover] = old
	return l.finishSwap(s)
}

// swapName is where, in an area, the old file is for the while of an exchange by
// renames.
const swapName = "swap"

// finishSwap finishes an exchange by renames, if it is the step's that was cut.
func (l *lander) finishSwap(s *Step) error {
	old := l.swaps[s.Cover]
	if old == nil || s.Kind != Replace || old.Ino != s.Before.Ino && old.Ino != s.After.Ino {
		return nil
	}
	real, area, p, slot := l.covers[s.Cover], l.areas[s.Cover], string(s.Path), string(s.Slot)
	now, err := real.lstat(p)
	if err != nil {
		return err
	}
	if now == nil {
		if err := move(area, slot, real, p, 0); err != nil {
			return err
		}
	}
	l.swaps[s.Cover] = nil
	return move(area, swapName, area, slot, 0)
}

// link makes the slot's file as a further link to a file of the folder.
func (l *lander) link(s *Step) error {
	to, err := l.covers[s.Cover].at(string(s.Link))
	if err != nil {
		return err
	}
	slot, err := l.areas[s.Cover].at(string(s.Slot))
	if err != nil {
		return err
	}
	if err := unix.Link(to, slot); err != nil {
		return &os.LinkError{Op: "link", Old: l.absolute(s.Cover, string(s.Link)), New: slot,
			Err: err}
	}
	return nil
}

// makeFolder makes a folder; its mode and the like come when it is full.
func (l *lander) makeFolder(s *Step, now *tree.File) error {
	if now.IsFolder() {
		return nil
	}
	if now != nil {
		return Conflicts{{Path: l.absolute(s.Cover, string(s.Path)), Now: now, Try: s.After}}
	}
	return l.rights(s, func() error {
		p, err := l.covers[s.Cover].at(string(s.Path))
		if err != nil {
			return err
		}
		if err := unix.Mkdir(p, 0o700); err != nil {
			return &os.PathError{Op: "mkdir", Path: l.absolute(s.Cover, string(s.Path)), Err: err}
		}
		return nil
	})
}

// removeFolder removes a folder that was made. One in which somebody has put
// something stays.
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

// attributes gives a folder what a step wants of it.
func (l *lander) attributes(s *Step, now, want *tree.File, attributes tree.Attributes,
	natural bool) error {
	if !now.IsFolder() {
		return nil
	}
	p, err := l.covers[s.Cover].at(string(s.Path))
	if err != nil {
		return err
	}
	if attributes == nil {
		attributes = tree.Attributes{} // none at all, which JSON leaves out
	}
	target := *want
	if natural {
		target.Mtime = now.Mtime
	}
	delete(l.covers[s.Cover].opened, string(s.Path))
	if err := target.Apply(p, attributes); err != nil && !anothers(now, err) {
		return fmt.Errorf("%s: %w", l.absolute(s.Cover, string(s.Path)), errors.Unwrap(err))
	}
	return nil
}

// anothers reports whether an error means that a folder, into which this user may put
// files, is another's: its mode and times are not this user's to set, and no try
// has changed more of it than its time.
func anothers(f *tree.File, err error) bool {
	return errors.Is(err, unix.EPERM) && f != nil && int(f.UID) != os.Geteuid()
}

// rights does something in the folders of a step's path and slot, which are
// opened to their owner if need be.
func (l *lander) rights(s *Step, something func() error) error {
	err := something()
	if !errors.Is(err, unix.EACCES) {
		return err
	}
	l.covers[s.Cover].letIn(path.Dir(string(s.Path)))
	l.areas[s.Cover].letIn(path.Dir(string(s.Slot)))
	return something()
}
