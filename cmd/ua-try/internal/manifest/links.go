//go:build linux

package manifest

import (
	"errors"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"ua/cmd/ua-try/internal/tree"
	"ua/cmd/ua-try/internal/try"
	"ua/internal/common/remove"
)

// hardLinks turns new names of a file into links to it. A file that the kernel copied up
// only to give it another name is still that file.
func (s *scanner) hardLinks() {
	for _, names := range s.shared {
		same := ""
		for _, n := range names {
			if n.entry < 0 {
				same = n.path
			}
		}
		for _, n := range names {
			if same != "" && n.entry >= 0 {
				s.list[n.entry].Link = tree.Name(same)
			}
		}
	}
}

// Root's overlays keep hard links whole by an index in the work folder: a file
// with several names is copied up once, and the command saw it under each of
// its names, though only those that it wrote to are in the upper layer.

// spread gives the upper layers all names of the files that the kernel's index holds.
func spread(t *try.Try) error {
	if t.Xattrs != "trusted" {
		return nil
	}
	home, err := tree.Open(t.Dir)
	if err != nil {
		return err
	}
	defer home.Close()
	for i := range t.Covers {
		lower, upper, err := layers(t, i)
		if err != nil {
			return err
		}
		files, err := indexed(home.At(path.Join("layers", strconv.Itoa(i), "work/index")), lower)
		if err == nil && len(files) > 0 {
			err = spreadOver(lower.At("."), upper, files)
		}
		lower.Close()
		upper.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// indexed returns the files of an index, by the inode in the lower layer that each was
// copied from.
func indexed(index tree.Place, lower *tree.Root) (map[uint64]tree.Place, error) {
	names, err := index.Names()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	files := map[uint64]tree.Place{}
	for _, name := range names {
		file := index.Join(name)
		if f, err := file.Lstat(); err != nil || f == nil || f.Type != tree.Regular {
			continue
		}
		if ino, err := lower.Origin(file.Attribute("trusted.overlay.origin")); err == nil {
			files[ino] = file
		}
	}
	return files, err
}

// spreadOver looks in a folder of the lower layer for the names of the files, and links
// each in the upper one.
func spreadOver(dir tree.Place, upper *tree.Root, files map[uint64]tree.Place) error {
	names, err := dir.Names()
	if err != nil {
		return nil // nobody else reaches what is in it
	}
	for _, name := range names {
		low := dir.Join(name)
		f, err := low.Lstat()
		switch {
		case err != nil || f == nil:
			continue
		case f.IsFolder():
			err = spreadOver(low, upper, files)
		case files[f.Ino].Root != nil && f.Type == tree.Regular && !hidden(upper, low.Path):
			err = spreadTo(upper.At(low.Path), dir, files[f.Ino])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// spreadTo links a file at a place in the upper layer.
func spreadTo(up, dir, file tree.Place) error {
	if err := folders(dir, up.Root); err != nil {
		return err
	}
	// A new name gives the folder a new time, but the command has not changed it.
	above := up.Root.At(dir.Path)
	before, err := above.Lstat()
	if err != nil || before == nil {
		return err
	}
	if err := file.Link(up); err != nil {
		return err
	}
	return above.SetMtime(before.Mtime)
}

// hidden reports whether the upper layer has something of its own at a path, or hides the
// lower layer there.
func hidden(upper *tree.Root, rel string) bool {
	words := strings.Split(rel, "/")
	for i := range words {
		at := upper.At(path.Join(words[:i+1]...))
		f, err := at.Lstat()
		if err != nil || f == nil {
			return false
		}
		if !f.IsFolder() || string(at.Attribute("trusted.overlay.opaque")) == "y" {
			return true
		}
	}
	return true
}

// folders makes a folder of the lower layer in the upper one, and those above it, with
// the same look.
func folders(dir tree.Place, upper *tree.Root) error {
	up := upper.At(dir.Path)
	if dir.Path == "." {
		return nil
	}
	if f, err := up.Lstat(); err != nil || f != nil {
		return err
	}
	if err := folders(dir.Root.At(path.Dir(dir.Path)), upper); err != nil {
		return err
	}
	above := upper.At(path.Dir(dir.Path))
	// A new name gives the folder a new time, but the command has not changed it.
	before, err := above.Lstat()
	if err != nil || before == nil {
		return err
	}
	f, err := dir.Lstat()
	if err != nil || f == nil {
		return err
	}
	if err := tree.Copy(dir, up, f); err != nil {
		return err
	}
	return above.SetMtime(before.Mtime)
}

// Tidy removes the folders in which the kernel prepares changes. The index in them holds
// another link to each file with several names.
func Tidy(t *try.Try) error {
	for i := range t.Covers {
		if err := remove.All(t.Work(i)); err != nil {
			return err
		}
	}
	return nil
}
