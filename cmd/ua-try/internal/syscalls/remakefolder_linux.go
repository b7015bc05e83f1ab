package syscalls

import (
	"crypto/rand"
	"encoding/hex"
	"errors"

	"golang.org/x/sys/unix"

	"ua/internal/common/tree"
)

// prepare makes a folder again at its place. If that fails, the folder stays as it was
// and the kernel answers EXDEV to the rename. While the old one is emptied, others can
// see it without some of its files.
func (s *server) prepare(f *folder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r := tree.Opened(f.parent)                       // which closes it
	if above, err := r.At(".").Lstat(); err == nil { // the rename may yet be refused
		defer r.At(".").SetMtime(above.Mtime)
	}
	var chance [6]byte
	rand.Read(chance[:])
	old, spare := r.At(f.name), r.At(".ua-try-"+hex.EncodeToString(chance[:]))
	if spare.Mkdir() != nil {
		return
	}
	c := copier{}
	if c.double(old, spare) == nil {
		err := c.empty(old, spare)
		if err == nil {
			err = old.Rmdir()
		}
		if err == nil && spare.Rename(old, 0) == nil {
			return
		}
		_ = old.Mkdir()
		_ = copier{}.double(spare, old)
	}
	_ = spare.RemoveAll()
}

// A copier makes one folder look like another. It knows by path the inode that each file
// had when its link was made, since a link to a file of an overlay can have another
// inode.
type copier map[string]uint64

// double gives one folder what another has: a link for each file, and folders with the
// same look. What is there already stays. A mount belongs to another file system or protects
// the folder, and is an error (EXDEV).
func (c copier) double(from, to tree.Place) error {
	folder, err := from.Root.Sub(from.Path)
	if err != nil {
		return err
	}
	folder.Close()
	f, err := from.Lstat()
	if err != nil || f == nil {
		return errors.Join(err, unix.ENOENT)
	}
	attributes, err := from.Attributes()
	if err != nil {
		return err
	}
	list, err := from.Names()
	if err != nil {
		return err
	}
	for _, name := range list {
		if err := c.doubleOne(from.Join(name), to.Join(name)); err != nil {
			return err
		}
	}
	return to.Apply(nil, f, attributes)
}

// doubleOne does the same for one name.
func (c copier) doubleOne(from, to tree.Place) error {
	f, err := from.Lstat()
	if err != nil || f == nil {
		return err
	}
	if f.IsFolder() {
		if err := to.Mkdir(); err != nil && !errors.Is(err, unix.EEXIST) {
			return err
		}
		return c.double(from, to)
	}
	if err := from.Link(to); err != nil && !errors.Is(err, unix.EEXIST) {
		return err
	}
	if f, err = from.Lstat(); f != nil {
		c[from.Path] = f.Ino
	}
	return err
}

// empty removes from the old folder what the fresh one has. What somebody has put there
// in the meantime is taken over first.
func (c copier) empty(old, fresh tree.Place) error {
	// A process that writes there all the time must not keep the caller waiting for ever.
	for range 100 {
		list, err := old.Names()
		if err != nil || len(list) == 0 {
			return err
		}
		for _, name := range list {
			if err := c.emptyOne(old.Join(name), fresh.Join(name)); err != nil &&
				!errors.Is(err, unix.ENOENT) {
				return err
			}
		}
	}
	return unix.EBUSY
}

// emptyOne removes one name from the old folder, after the fresh one has it as it is now.
func (c copier) emptyOne(old, fresh tree.Place) error {
	was, err := old.Lstat()
	if err != nil || was == nil {
		return err
	}
	is, err := fresh.Lstat()
	switch {
	case err != nil:
		return err
	case is == nil:
		return c.doubleOne(old, fresh)
	case was.IsFolder() && !is.IsFolder():
		return unix.ENOTDIR
	case was.IsFolder():
		if err := c.empty(old, fresh); err != nil {
			return err
		}
		return old.Rmdir()
	// Another file has come to this name since, so the fresh folder gets that one.
	case was.Ino != c[old.Path] || was.Type != is.Type:
		if err := fresh.Unlink(); err != nil {
			return err
		}
		return c.doubleOne(old, fresh)
	}
	return old.Unlink()
}
