//go:build linux

package landing

import (
	"errors"
	"os"
	"path"
	"slices"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/tree"
)

// moveTree renames a file, or a folder with all in it. Renaming a folder to another one
// writes its "..", so a folder that its owner may not write is opened for that, and gets
// its mode back at the new place. A folder that the file system cannot rename, as an
// overlay cannot rename one of its lower layer, is moved file by file. A move that was
// cut goes on.
func moveTree(from *root, old string, to *root, new string) error {
	f, err := from.lstat(old)
	if err != nil || f == nil {
		return err
	}
	there, err := to.lstat(new)
	if err != nil {
		return err
	}
	if there != nil && (!there.IsFolder() || !f.IsFolder()) {
		return &os.PathError{Op: "rename", Path: new, Err: unix.EEXIST}
	}
	if there == nil {
		err := moveNew(from, old, to, new)
		if errors.Is(err, unix.EACCES) && f.IsFolder() && f.Mode&0o200 == 0 {
			err = moveLocked(from, old, to, new, f)
		}
		if !errors.Is(err, unix.EXDEV) || !f.IsFolder() {
			return err
		}
	}
	return moveByHand(from, old, to, new, f, there)
}

// moveLocked renames a folder that forbids its owner to write. If a kill comes before the
// mode is put back, closeMoved does it later.
func moveLocked(from *root, old string, to *root, new string, f *tree.File) error {
	p, err := from.at(old)
	if err != nil {
		return err
	}
	if err := unix.Fchmodat(unix.AT_FDCWD, p, uint32(f.Mode)|0o300, 0); err != nil {
		return &os.PathError{Op: "chmod", Path: old, Err: err}
	}
	if err = moveNew(from, old, to, new); err == nil {
		p, err = to.at(new)
	}
	return errors.Join(err, unix.Fchmodat(unix.AT_FDCWD, p, uint32(f.Mode), 0))
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

// closeMoved puts back the mode of a moved folder where a cut moveLocked has not.
func closeMoved(r *root, rel string, was *tree.File) error {
	f, err := r.lstat(rel)
	if err != nil || !leftOpen(f, was) {
		return err
	}
	p, err := r.at(rel)
	if err == nil {
		err = unix.Fchmodat(unix.AT_FDCWD, p, uint32(was.Mode), 0)
	}
	return err
}

// moveByHand moves a folder file by file: it makes the new folder, moves each name, and
// removes the old folder.
func moveByHand(from *root, old string, to *root, new string, f, there *tree.File) error {
	source, err := from.at(old)
	if err != nil {
		return err
	}
	target, err := to.at(new)
	if err != nil {
		return err
	}
	if there == nil {
		if err := unix.Mkdir(target, 0o700); err != nil {
			return &os.PathError{Op: "mkdir", Path: new, Err: err}
		}
	}
	attributes, err := tree.AttributesOf(source)
	if err != nil {
		return err
	}
	// The old folder is opened to its owner for the move; f keeps the mode for the new
	// one.
	if f.Mode&0o700 != 0o700 {
		_ = unix.Fchmodat(unix.AT_FDCWD, source, uint32(f.Mode)|0o700, 0)
	}
	names, err := namesIn(source)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := moveTree(from, path.Join(old, name), to, path.Join(new, name)); err != nil {
			return err
		}
	}
	from.forget()
	if source, err = from.at(old); err != nil {
		return err
	}
	if err := unix.Rmdir(source); err != nil {
		return &os.PathError{Op: "rmdir", Path: old, Err: err}
	}
	if target, err = to.at(new); err != nil {
		return err
	}
	return f.Apply(target, attributes)
}

// namesIn returns the names in a folder, sorted.
func namesIn(dir string) ([]string, error) {
	f, err := os.OpenFile(dir, os.O_RDONLY|unix.O_DIRECTORY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	slices.Sort(names)
	return names, err
}
