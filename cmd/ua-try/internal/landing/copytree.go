//go:build linux

package landing

import (
	"errors"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/tree"
	"ua/internal/common/remove"
)

// copyOnce copies a tree so that it is there whole or not at all, and replaces an older
// copy.
func copyOnce(from, to string, links map[uint64]string) error {
	f, err := tree.Lstat(from)
	if err != nil || f == nil {
		return err
	}
	if err := errors.Join(remove.All(to), remove.All(to+".new")); err != nil {
		return err
	}
	if err := copyTree(from, to+".new", links); err != nil {
		return errors.Join(err, remove.All(to+".new"))
	}
	// The names under which further links will be made are about to change.
	for ino, path := range links {
		if rest, ok := strings.CutPrefix(path, to+".new"); ok && (rest == "" || rest[0] == '/') {
			links[ino] = to + rest
		}
	}
	return os.Rename(to+".new", to)
}

// copyTree copies a file, or a folder with all in it. Names of one file stay names of one
// file among all that is copied with the same links.
func copyTree(from, to string, links map[uint64]string) error {
	f, err := tree.Lstat(from)
	if err != nil || f == nil {
		return errors.Join(err, unix.ENOENT)
	}
	if !f.IsFolder() {
		if first, ok := links[f.Ino]; ok && f.Links > 1 {
			return os.Link(first, to)
		}
		if f.Links > 1 {
			links[f.Ino] = to
		}
		return tree.Copy(from, to, f)
	}
	if err := os.Mkdir(to, 0o700); err != nil {
		return err
	}
	names, err := namesIn(from)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := copyTree(path.Join(from, name), path.Join(to, name), links); err != nil {
			return err
		}
	}
	attributes, err := tree.AttributesOf(from)
	if err != nil {
		return err
	}
	// Last, since each name that is made gives the folder a new time.
	return f.Apply(to, attributes)
}
