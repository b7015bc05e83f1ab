package gitrules

import (
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"

	"ua/internal/common/tree"
)

// Open opens the folder at a path, on whose way may be links.
func Open(path string) (*tree.Root, error) {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	d := tree.Opened(fd)
	d.Crosses = true
	return d, nil
}

// IsRepository reports whether git would take the folder for a git folder: one with a HEAD,
// and with objects and refs or a pointer to where these are.
func IsRepository(d *tree.Root) bool {
	return has(d, "HEAD") && (has(d, "commondir") || has(d, "objects") && has(d, "refs"))
}

// has reports whether anything is at a path.
func has(d *tree.Root, name string) bool {
	f, err := d.At(name).Lstat()
	return err == nil && f != nil
}

// isFolder reports whether a folder is at a path.
func isFolder(d *tree.Root, name string) bool {
	f, err := d.At(name).Lstat()
	return err == nil && f.IsFolder()
}

// read returns the text of a file of at most most bytes, or nil.
func read(d *tree.Root, name string, most int64) []byte {
	text, err := d.At(name).Read(most)
	if err != nil {
		return nil
	}
	return text
}

// own gives what root has made in a folder to who has the folder.
func own(p tree.Place) {
	if os.Geteuid() != 0 {
		return
	}
	dir, err := p.Root.At(path.Dir(p.Path)).Lstat()
	f, err2 := p.Lstat()
	if err == nil && err2 == nil && dir != nil && f != nil {
		f.UID, f.GID = dir.UID, dir.GID
		_ = p.Apply(f, f, nil)
	}
}

// makeParent opens the folder of a path and makes it where it is missing.
func makeParent(d *tree.Root, name string) (dir *tree.Root, base string, err error) {
	at := d.At(".")
	for part := range strings.SplitSeq(path.Dir(name), "/") {
		if at = at.Join(part); at.Make(0o755) == nil {
			own(at)
		}
	}
	dir, err = d.Sub(at.Path)
	return dir, path.Base(name), err
}
