//go:build linux

package tree

import (
	"errors"
	"path"
	"slices"

	"golang.org/x/sys/unix"
)

// Layers are the two folders of an overlay (the kernel's overlayfs.rst): what it shows is the
// lower one with what has been changed since in the upper one.
type Layers struct {
	Lower, Upper *Root
	Xattrs       string // where the overlay keeps its marks: "user" or "trusted"
	Most         int    // how many names of one folder are read; all if negative
}

// A Visit is told of a path, and of the file in both layers; nil is none.
type Visit func(rel string, before, after *File) error

// Walk visits all below the folders that the overlay shows otherwise than the lower one, and
// what was only copied up. A folder comes before what is in it.
func (l Layers) Walk(visit Visit) error { return l.folder(".", true, false, visit) }

// folder walks a folder of the upper layer. below says that the lower one has it too, and
// replaced that nothing of that is seen.
func (l Layers) folder(rel string, below, replaced bool, visit Visit) error {
	names, err := l.Upper.At(rel).Some(l.Most)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := l.name(path.Join(rel, name), below, replaced, visit); err != nil {
			return err
		}
	}
	if !below || !replaced {
		return nil
	}
	// Nothing marks what a replaced folder no longer has.
	return l.gone(rel, visit, func(name string) bool {
		_, found := slices.BinarySearch(names, name)
		return found
	})
}

// name walks one name of the upper layer.
func (l Layers) name(rel string, below, replaced bool, visit Visit) error {
	after, err := l.Upper.At(rel).Lstat()
	if err != nil || after == nil {
		return err
	}
	var before *File
	if below {
		if before, err = l.Lower.At(rel).Lstat(); err != nil {
			return err
		}
	}
	if after.Whiteout() {
		return l.removed(rel, before, visit)
	}
	if err := visit(rel, before, after); err != nil {
		return err
	}
	switch {
	case before.IsFolder() && !after.IsFolder():
		return l.gone(rel, visit, nil)
	case !after.IsFolder():
		return nil
	}
	if before.IsFolder() && !replaced {
		replaced = l.Opaque(rel)
	}
	return l.folder(rel, before.IsFolder(), replaced, visit)
}

// Opaque reports whether a folder of the upper layer hides the lower one.
func (l Layers) Opaque(rel string) bool {
	return string(l.Upper.At(rel).Attribute(l.Xattrs+".overlay.opaque")) == "y"
}

// removed visits what the overlay no longer has at a path, with all that was in it.
func (l Layers) removed(rel string, before *File, visit Visit) error {
	if before == nil {
		return nil // somebody else has removed it too
	}
	if err := visit(rel, before, nil); err != nil || !before.IsFolder() {
		return err
	}
	return l.gone(rel, visit, nil)
}

// gone visits what a folder of the lower layer has and the overlay has not, but for the names
// that are still there.
func (l Layers) gone(rel string, visit Visit, there func(name string) bool) error {
	names, err := l.Lower.At(rel).Some(l.Most)
	if errors.Is(err, unix.EACCES) || Gone(err) {
		return nil // its mode kept the user out; the command had it changed first
	}
	if err != nil {
		return err
	}
	for _, name := range names {
		if there != nil && there(name) {
			continue
		}
		at := path.Join(rel, name)
		before, err := l.Lower.At(at).Lstat()
		if err == nil {
			err = l.removed(at, before, visit)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
