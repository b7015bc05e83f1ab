//go:build linux

package landing

import (
	"errors"
	"fmt"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"

	"ua/internal/common/tree"
)

// moveTree renames a file, or a folder with all in it. Renaming a folder to another one
// writes its "..", so a folder that its owner may not write is opened for that, and gets
// its mode back at the new place. A folder that the file system cannot rename, as an
// overlay cannot rename one of its lower layer, is moved file by file. A move that was
// cut goes on.
func moveTree(from, to tree.Place) error {
	f, err := from.Lstat()
	if err != nil || f == nil {
		return err
	}
	there, err := to.Lstat()
	if err != nil {
		return err
	}
	if there != nil && (!there.IsFolder() || !f.IsFolder()) {
		return &os.PathError{Op: "rename", Path: to.String(), Err: unix.EEXIST}
	}
	if there == nil {
		err := moveNew(from, to)
		if errors.Is(err, unix.EACCES) && f.IsFolder() && f.Mode&0o200 == 0 {
			err = moveLocked(from, to, f)
		}
		if !errors.Is(err, unix.EXDEV) || !f.IsFolder() {
			return err
		}
	}
	return moveByHand(from, to, f, there)
}

// moveNew renames a file to a name that is free, and replaces nothing.
func moveNew(from, to tree.Place) error {
	err := from.Rename(to, unix.RENAME_NOREPLACE)
	if !errors.Is(err, unix.EINVAL) { // what a file system says that knows no flags
		return err
	}
	if f, err := to.Lstat(); err != nil || f != nil {
		return errors.Join(err, fmt.Errorf("%s: %w", to, unix.EEXIST))
	}
	return from.Rename(to, 0)
}

// moveLocked renames a folder that forbids its owner to write. If a kill comes before the
// mode is put back, closeMoved does it later.
func moveLocked(from, to tree.Place, f *tree.File) error {
	if err := from.Chmod(f, f.Mode|0o300); err != nil {
		return err
	}
	err := moveNew(from, to)
	if err != nil {
		to = from
	}
	return errors.Join(err, to.Chmod(f, f.Mode))
}

// leftOpen reports whether a folder has the mode that moveLocked gave it for the move;
// was is how it looked before.
func leftOpen(f, was *tree.File) bool {
	if !f.IsFolder() || !was.IsFolder() || f.Mode == was.Mode || f.Mode != was.Mode|0o300 {
		return false
	}
	shut := *f
	shut.Mode = was.Mode
	return was.Still(&shut)
}

// unlocked reports whether a folder may have the mode that a Root gave it while something in it
// was moved; was is how it looked before.
func unlocked(f, was *tree.File) bool {
	if !f.IsFolder() || !was.IsFolder() {
		return false
	}
	open, shut := *f, *was
	open.Mode, shut.Mode = open.Mode|0o700, shut.Mode|0o700
	return shut.SameMeta(&open)
}

// closeMoved puts back the mode of a moved folder where a cut moveLocked has not.
func closeMoved(at tree.Place, was *tree.File) error {
	f, err := at.Lstat()
	if err != nil || !leftOpen(f, was) {
		return err
	}
	return at.Chmod(f, was.Mode)
}

// moveByHand moves a folder file by file: it makes the new folder, moves each name, and
// removes the old folder.
func moveByHand(from, to tree.Place, f, there *tree.File) error {
	if there == nil {
		if err := to.Mkdir(); err != nil {
			return err
		}
	}
	attributes, err := from.Attributes()
	if err != nil {
		return err
	}
	// The old folder is opened to its owner for the move; f keeps the mode for the new
	// one.
	if f.Mode&0o700 != 0o700 {
		_ = from.Chmod(f, f.Mode|0o700)
	}
	names, err := from.Names()
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := moveTree(from.Join(name), to.Join(name)); err != nil {
			return err
		}
	}
	if err := from.Rmdir(); err != nil {
		return err
	}
	return to.Apply(nil, f, attributes)
}

// copyOnce copies a tree so that it is there whole or not at all, and replaces an older
// copy.
func copyOnce(from, to tree.Place, links map[uint64]tree.Place) error {
	f, err := from.Lstat()
	if err != nil || f == nil {
		return err
	}
	fresh := tree.Place{Root: to.Root, Path: to.Path + ".new"}
	if err := errors.Join(to.RemoveAll(), fresh.RemoveAll()); err != nil {
		return err
	}
	if err := copyTree(from, fresh, links); err != nil {
		return errors.Join(err, fresh.RemoveAll())
	}
	// The names under which further links will be made are about to change.
	for ino, first := range links {
		if rest, ok := strings.CutPrefix(first.Path+"/", fresh.Path+"/"); ok {
			links[ino] = to.Join(path.Clean("./" + rest))
		}
	}
	return fresh.Rename(to, 0)
}

// copyTree copies a file, or a folder with all in it. Names of one file stay names of one
// file among all that is copied with the same links.
func copyTree(from, to tree.Place, links map[uint64]tree.Place) error {
	f, err := from.Lstat()
	if err != nil || f == nil {
		return errors.Join(err, unix.ENOENT)
	}
	if !f.IsFolder() {
		if first, ok := links[f.Ino]; ok && f.Links > 1 {
			return first.Link(to)
		}
		if f.Links > 1 {
			links[f.Ino] = to
		}
		return tree.Copy(from, to, f)
	}
	if err := to.Mkdir(); err != nil {
		return err
	}
	names, err := from.Names()
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := copyTree(from.Join(name), to.Join(name), links); err != nil {
			return err
		}
	}
	attributes, err := from.Attributes()
	if err != nil {
		return err
	}
	// Last, since each name that is made gives the folder a new time.
	return to.Apply(nil, f, attributes)
}
