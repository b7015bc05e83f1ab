//go:build linux

package tree

import (
	"os"
	"path"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// A Root is a folder that was opened once. Files below it are reached by descriptors: no
// symbolic link on the way is followed, and no mount entered, so that a process that
// renames folders meanwhile, or puts links in their place, leads nobody out of it.
type Root struct {
	// Unlocks says that folders that keep even their owner out are opened to him when
	// something in them is needed. They get their modes back by Settle.
	Unlocks bool
	// Crosses says that folders which are mounts are entered.
	Crosses bool

	dir    string
	fd     int
	opened map[string]unix.Stat_t // folders as they were before they were unlocked
}

// Open opens a folder by its absolute path, in which nothing is a symbolic link.
func Open(dir string) (*Root, error) {
	fd, err := unix.Openat2(unix.AT_FDCWD, dir, &unix.OpenHow{Resolve: unix.RESOLVE_NO_SYMLINKS,
		Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC})
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: dir, Err: err}
	}
	return rootOf(dir, fd), nil
}

// rootOf returns the Root for an open folder.
func rootOf(dir string, fd int) *Root {
	return &Root{dir: dir, fd: fd, opened: map[string]unix.Stat_t{}}
}

// Opened returns the Root for an open folder, which its Close closes.
func Opened(fd int) *Root { return rootOf("", fd) }

// FD returns the folder's descriptor.
func (r *Root) FD() int { return r.fd }

// Sub opens a folder below the root as a Root of its own.
func (r *Root) Sub(rel string) (*Root, error) {
	fd, err := r.openFolder(rel)
	if err != nil {
		return nil, err
	}
	sub := rootOf(filepath.Join(r.dir, rel), fd)
	sub.Crosses = r.Crosses
	return sub, nil
}

// Keep has Settle leave the mode of a folder alone.
func (r *Root) Keep(rel string) { delete(r.opened, rel) }

// Sync writes what the folder's file system still holds in memory to the disk (syncfs(2)).
func (r *Root) Sync() error {
	fd, err := unix.Openat(r.fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return pathError("open", r.dir, err)
	}
	defer unix.Close(fd)
	return pathError("syncfs", r.dir, unix.Syncfs(fd))
}

// SameMount reports whether two folders are on one mount, between whose parts rename(2)
// works. Kernels that do not tell count as no.
func SameMount(a, b *Root) bool {
	var x, y unix.Statx_t
	const mask = unix.STATX_BASIC_STATS | unix.STATX_MNT_ID
	if unix.Statx(a.fd, "", unix.AT_EMPTY_PATH, mask, &x) != nil ||
		unix.Statx(b.fd, "", unix.AT_EMPTY_PATH, mask, &y) != nil {
		return false
	}
	known := x.Mask&y.Mask&unix.STATX_MNT_ID != 0 // Linux 5.8
	return x.Dev_major == y.Dev_major && x.Dev_minor == y.Dev_minor && known && x.Mnt_id == y.Mnt_id
}

// in calls do with a descriptor of a folder below the root.
func (r *Root) in(dir string, do func(folder int) error) error {
	if r == nil {
		return unix.ENOENT
	}
	if dir == "." {
		return do(r.fd)
	}
	fd, err := r.openFolder(dir)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return do(fd)
}

// openFolder opens a folder below the root.
func (r *Root) openFolder(dir string) (int, error) {
	fd, err := r.enter(dir)
	if err == unix.EACCES && r.Unlocks && r.LetIn(path.Dir(dir)) {
		fd, err = r.enter(dir)
	}
	if err != nil {
		return -1, &os.PathError{Op: "open", Path: filepath.Join(r.dir, dir), Err: err}
	}
	return fd, nil
}

// enter opens a folder below the root as its mode allows.
func (r *Root) enter(dir string) (fd int, err error) {
	how := &unix.OpenHow{Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS}
	if !r.Crosses {
		how.Resolve |= unix.RESOLVE_NO_XDEV
	}
	for {
		// A rename elsewhere can have the kernel ask for another attempt (openat2(2), EAGAIN).
		if fd, err = unix.Openat2(r.fd, dir, how); err != unix.EAGAIN && err != unix.EINTR {
			return fd, err
		}
	}
}

// LetIn gives the owner all rights to a folder, and a way through the folders above. It
// reports whether that made a difference.
func (r *Root) LetIn(dir string) (better bool) { return r.grant(dir, 0o700) }

// grant adds rights to a folder's mode, and the right to pass to those above it.
func (r *Root) grant(dir string, rights uint32) (better bool) {
	if dir != "." {
		better = r.grant(path.Dir(dir), 0o100)
	}
	fd, err := r.enter(dir)
	if err != nil {
		return better
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil || st.Mode&rights == rights ||
		pinned(fd).chmod(st.Mode&0o7777|rights) != nil {
		return better
	}
	if _, known := r.opened[dir]; !known {
		r.opened[dir] = st
	}
	return true
}
