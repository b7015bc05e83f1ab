//go:build linux

package landing

import (
	"errors"
	"path"
	"strings"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/tree"
)

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
	to.Root.Forget()
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
