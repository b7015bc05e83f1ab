package confine

import (
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// OpenPath opens a clean path that was resolved before, with O_PATH and the flags. It
// fails with ELOOP if a symbolic link is in it, since another command that may write a
// folder on the way could have put one there. With O_NOFOLLOW the path itself may be a
// link. In a sandbox of ours openat2(2) is refused, and the path is walked name by name.
func OpenPath(path string, flags int) (int, error) {
	flags |= unix.O_PATH | unix.O_CLOEXEC
	fd, err := unix.Openat2(unix.AT_FDCWD, path,
		&unix.OpenHow{Flags: uint64(flags), Resolve: unix.RESOLVE_NO_SYMLINKS})
	if err == unix.ENOSYS {
		return walk(path, flags)
	}
	return fd, err
}

// walk opens each folder of the path from the one before it.
func walk(path string, flags int) (int, error) {
	at := unix.AT_FDCWD
	if rest, ok := strings.CutPrefix(path, "/"); ok {
		root, err := unix.Open("/", unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil || rest == "" {
			return root, err
		}
		at, path = root, rest
	}
	dir, name := filepath.Split(path)
	for folder := range strings.SplitSeq(strings.TrimSuffix(dir, "/"), "/") {
		if folder == "" {
			continue
		}
		next, err := step(at, folder, unix.O_PATH|unix.O_CLOEXEC)
		if at = leave(at, next); err != nil {
			return -1, err
		}
	}
	fd, err := step(at, name, flags)
	leave(at, fd)
	return fd, err
}

// step opens a name in a folder. A symbolic link is an error, unless the flags ask for
// it.
func step(at int, name string, flags int) (int, error) {
	fd, err := unix.Openat(at, name, flags|unix.O_NOFOLLOW, 0)
	if err != nil || flags&unix.O_NOFOLLOW != 0 {
		return fd, err
	}
	var stat unix.Stat_t
	if err = unix.Fstat(fd, &stat); err == nil && stat.Mode&unix.S_IFMT == unix.S_IFLNK {
		err = unix.ELOOP
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// leave closes the folder from which next was opened, and returns next.
func leave(at, next int) int {
	if at != unix.AT_FDCWD {
		unix.Close(at)
	}
	return next
}
