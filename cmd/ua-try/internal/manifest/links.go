//go:build linux

package manifest

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

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
	for i, c := range t.Covers {
		files, err := indexed(filepath.Join(t.Work(i), "index"), string(c.Path))
		if err != nil {
			return err
		}
		if len(files) == 0 {
			continue
		}
		if err := spreadOver(string(c.Path), t.Upper(i), files); err != nil {
			return err
		}
	}
	return nil
}

// indexed returns the files of an index, by the inode in the lower layer that each was
// copied from.
func indexed(index, lower string) (map[uint64]string, error) {
	entries, err := os.ReadDir(index)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	files := map[uint64]string{}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		if ino, err := origin(filepath.Join(index, e.Name()), lower); err == nil {
			files[ino] = filepath.Join(index, e.Name())
		}
	}
	return files, err
}

// origin returns the inode in the lower layer that a file was copied from. The attribute
// holds a version, a magic byte, a length, flags, the type of a file handle, a UUID of 16
// bytes and the handle (fs/overlayfs/overlayfs.h, struct ovl_fb).
func origin(file, lower string) (uint64, error) {
	value := make([]byte, 256)
	n, err := unix.Lgetxattr(file, "trusted.overlay.origin", value)
	if err != nil {
		return 0, err
	}
	if n < 22 {
		return 0, unix.EINVAL
	}
	mount, err := unix.Open(lower, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	defer unix.Close(mount)
	fd, err := unix.OpenByHandleAt(mount, unix.NewFileHandle(int32(value[4]), value[21:n]),
		unix.O_PATH|unix.O_CLOEXEC)
	if err != nil {
		return 0, err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	err = unix.Fstat(fd, &st)
	return st.Ino, err
}

// spreadOver looks in the lower layer for the names of the files, and links each in the
// upper one.
func spreadOver(lower, upper string, files map[uint64]string) error {
	return filepath.WalkDir(lower, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		f, err := tree.Lstat(p)
		if err != nil || f == nil || files[f.Ino] == "" {
			return nil
		}
		rel, err := filepath.Rel(lower, p)
		if err != nil || hidden(upper, rel) {
			return err
		}
		if err := folders(lower, upper, path.Dir(rel)); err != nil {
			return err
		}
		dir := filepath.Join(upper, path.Dir(rel))
		// A new name gives the folder a new time, but the command has not changed it.
		before, err := tree.Lstat(dir)
		if err != nil || before == nil {
			return err
		}
		if err := os.Link(files[f.Ino], filepath.Join(upper, rel)); err != nil {
			return err
		}
		return tree.SetMtime(dir, before.Mtime)
	})
}

// hidden reports whether the upper layer has something of its own at a path, or hides the
// lower layer there.
func hidden(upper, rel string) bool {
	words := strings.Split(rel, "/")
	for i := range words {
		at := filepath.Join(upper, path.Join(words[:i+1]...))
		f, err := tree.Lstat(at)
		if err != nil || f == nil {
			return false
		}
		mark := make([]byte, 1)
		n, err := unix.Lgetxattr(at, "trusted.overlay.opaque", mark)
		if !f.IsFolder() || err == nil && n == 1 && mark[0] == 'y' {
			return true
		}
	}
	return true
}

// folders makes the folders of a path in the upper layer, with the look of those in the
// lower one.
func folders(lower, upper, dir string) error {
	if dir == "." {
		return nil
	}
	if f, err := tree.Lstat(filepath.Join(upper, dir)); err != nil || f != nil {
		return err
	}
	if err := folders(lower, upper, path.Dir(dir)); err != nil {
		return err
	}
	above := filepath.Join(upper, path.Dir(dir))
	// A new name gives the folder a new time, but the command has not changed it.
	before, err := tree.Lstat(above)
	if err != nil || before == nil {
		return err
	}
	f, err := tree.Lstat(filepath.Join(lower, dir))
	if err != nil || f == nil {
		return err
	}
	if err := tree.Copy(filepath.Join(lower, dir), filepath.Join(upper, dir), f); err != nil {
		return err
	}
	return tree.SetMtime(above, before.Mtime)
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
