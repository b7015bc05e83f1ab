//go:build linux

package landing

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/tree"
)

// A root is a folder whose files are reached without following links. Nothing that
// somebody puts in a folder's place in the meantime can lead elsewhere.
type root struct {
	dir    string
	fd     int
	open   map[string]int
	opened map[string]unix.Stat_t // folders that kept even their owner out, as they were
}

// newRoot opens the folder dir.
func newRoot(dir string) (*root, error) {
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: dir, Err: err}
	}
	return &root{dir: dir, fd: fd, open: map[string]int{}, opened: map[string]unix.Stat_t{}}, nil
}

// close gives the folders that were opened their modes back, inner ones first, since an
// outer one may keep even its owner from those inside.
func (r *root) close() {
	inner := slices.SortedFunc(maps.Keys(r.opened),
		func(a, b string) int { return len(b) - len(a) })
	for _, rel := range inner {
		was := r.opened[rel]
		var now unix.Stat_t
		if at, err := r.at(rel); err == nil && unix.Lstat(at, &now) == nil && now.Ino == was.Ino {
			_ = unix.Fchmodat(unix.AT_FDCWD, at, was.Mode&0o7777, 0)
		}
	}
	r.forget()
	unix.Close(r.fd)
}

// forget closes the descriptors of folders on the way.
func (r *root) forget() {
	for dir, fd := range r.open {
		unix.Close(fd)
		delete(r.open, dir)
	}
}

// folder returns a descriptor of a folder below the root.
func (r *root) folder(dir string) (int, error) {
	if dir == "." {
		return r.fd, nil
	}
	if fd, ok := r.open[dir]; ok {
		return fd, nil
	}
	if len(r.open) > 200 {
		r.forget()
	}
	how := &unix.OpenHow{Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_BENEATH}
	fd, err := unix.Openat2(r.fd, dir, how)
	if err == unix.EACCES && r.letIn(path.Dir(dir)) {
		fd, err = unix.Openat2(r.fd, dir, how)
	}
	if err != nil {
		return -1, &os.PathError{Op: "open", Path: filepath.Join(r.dir, dir), Err: err}
	}
	r.open[dir] = fd
	return fd, nil
}

// at returns a path for a relative one: the folder's descriptor in /proc, and the last
// name.
func (r *root) at(rel string) (string, error) {
	if rel == "." {
		return fmt.Sprintf("/proc/self/fd/%d/.", r.fd), nil
	}
	fd, err := r.folder(path.Dir(rel))
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("/proc/self/fd/%d/%s", fd, path.Base(rel)), nil
}

// lstat describes a file below the root. It is nil where there is none, or no folder on
// the way to it.
func (r *root) lstat(rel string) (*tree.File, error) {
	p, err := r.at(rel)
	if gone(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	f, err := tree.Lstat(p)
	if errors.Is(err, unix.EACCES) && r.letIn(path.Dir(rel)) {
		f, err = tree.Lstat(p)
	}
	// The mode that counts is the one before letIn.
	if was, ok := r.opened[rel]; ok && f != nil && f.Ino == was.Ino {
		f.Mode = tree.Mode(was.Mode & 0o7777)
	}
	return f, err
}

// names returns the sorted names in a folder below the root.
func (r *root) names(rel string) ([]string, error) {
	dir, err := r.at(rel)
	if err != nil {
		return nil, err
	}
	return namesIn(dir)
}

// letIn gives the owner all rights to a folder, and a way through the folders above,
// until the root is closed or a step sets their modes. It reports whether that made a
// difference.
func (r *root) letIn(dir string) (better bool) { return r.grant(dir, 0o700) }

// grant adds rights to a folder's mode, and the right to pass to those above it.
func (r *root) grant(dir string, rights uint32) (better bool) {
	if dir != "." {
		better = r.grant(path.Dir(dir), 0o100)
	}
	how := &unix.OpenHow{Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_BENEATH}
	fd, err := unix.Openat2(r.fd, dir, how)
	if err != nil {
		return better
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil || st.Mode&rights == rights {
		return better
	}
	// Reaching "." needs the right to search the folder, and the descriptor's own link
	// does not (path_resolution(7)).
	if unix.Fchmodat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d/.", fd), st.Mode&0o7777|rights,
		0) != nil {
		if unix.Fchmodat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", fd), st.Mode&0o7777|rights,
			0) != nil {
			return better
		}
	}
	if _, known := r.opened[dir]; !known {
		r.opened[dir] = st
	}
	return true
}

// move renames a file between two roots, with the flags of renameat2(2).
func move(from *root, old string, to *root, new string, flags uint) error {
	a, err := from.folder(path.Dir(old))
	if err != nil {
		return err
	}
	b, err := to.folder(path.Dir(new))
	if err != nil {
		return err
	}
	err = unix.Renameat2(a, path.Base(old), b, path.Base(new), flags)
	if err != nil {
		return &os.LinkError{Op: "rename", Old: filepath.Join(from.dir, old),
			New: filepath.Join(to.dir, new), Err: err}
	}
	return nil
}
