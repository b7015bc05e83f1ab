package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"ua/internal/common/regular"
)

// A kept is the state of a protected file or folder when the command began, for tiers
// without mounts. What the command has changed is restored from it.
type kept struct {
	path   string
	mode   uint32 // with the type
	text   []byte // of a file
	target string // of a link
	below  []kept // of a folder
	names  []string
}

// keep remembers the paths, within the limits.
func keep(paths []string) (list []kept) {
	room := maxKeptAll
	for _, path := range paths {
		if k, ok := keepOne(path, &room, maxKeptDeep); ok {
			list = append(list, k)
		}
	}
	return list
}

// keepOne remembers what is at path. Files that are too large, and anything but files,
// folders and links, are not remembered.
func keepOne(path string, room *int, deep int) (k kept, ok bool) {
	var stat unix.Stat_t
	if unix.Lstat(path, &stat) != nil || deep == 0 {
		return k, false
	}
	k = kept{path: path, mode: stat.Mode}
	var err error
	switch stat.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		k.text, err = regular.Read(path, int64(min(maxKept, *room)))
		*room -= len(k.text)
	case unix.S_IFLNK:
		k.target, err = os.Readlink(path)
	case unix.S_IFDIR:
		var entries []fs.DirEntry
		entries, err = os.ReadDir(path)
		for _, e := range entries {
			k.names = append(k.names, e.Name())
			if child, ok := keepOne(filepath.Join(path, e.Name()), room, deep-1); ok {
				k.below = append(k.below, child)
			}
		}
	// A device, a socket or a FIFO cannot be made again.
	default:
		return k, false
	}
	return k, err == nil
}

// modes remembers only the access rights of the paths. After the command has changed
// them, another user could get in.
func modes(paths []string) (list []kept) {
	for _, path := range paths {
		var stat unix.Stat_t
		if unix.Lstat(path, &stat) == nil && stat.Mode&unix.S_IFMT != unix.S_IFLNK {
			list = append(list, kept{path: path, mode: stat.Mode})
		}
	}
	return list
}

// putBackMode restores the access rights of the path, and reports whether they had
// changed. The file is opened first and changed through /proc, so that a link which
// replaces it meanwhile is not followed.
func (k *kept) putBackMode() bool {
	dir, err := folderOf(k.path)
	if err != nil {
		return false
	}
	defer unix.Close(dir)
	fd, err := unix.Openat(dir, filepath.Base(k.path), unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC,
		0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if unix.Fstat(fd, &stat) != nil || stat.Mode == k.mode ||
		stat.Mode&unix.S_IFMT != k.mode&unix.S_IFMT || stat.Mode&unix.S_IFMT == unix.S_IFLNK {
		return false
	}
	return unix.Fchmodat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", fd), k.mode&^unix.S_IFMT,
		0) == nil
}

// putBack restores the path. What is there instead is set aside. It calls tell for every
// path that was changed and is restored now.
func (k *kept) putBack(tell func(path string)) {
	there, same := k.stands()
	if same {
		if k.putBackMode() {
			tell(k.path)
		}
		if k.mode&unix.S_IFMT == unix.S_IFDIR {
			k.putBackBelow(tell)
		}
		return
	}
	if there && !setAside(k.path, nil) || !k.remake() {
		return
	}
	tell(k.path)
	for i := range k.below {
		k.below[i].putBack(func(string) {})
	}
}

// stands reports whether something is at the path, and whether it is what was there.
func (k *kept) stands() (there, same bool) {
	var now unix.Stat_t
	there = unix.Lstat(k.path, &now) == nil
	return there, there && now.Mode&unix.S_IFMT == k.mode&unix.S_IFMT && k.same()
}

// same reports whether the text or the target has not changed.
func (k *kept) same() bool {
	switch k.mode & unix.S_IFMT {
	case unix.S_IFREG:
		text, err := regular.Read(k.path, maxKept)
		return err == nil && bytes.Equal(text, k.text)
	case unix.S_IFLNK:
		target, err := os.Readlink(k.path)
		return err == nil && target == k.target
	}
	return true
}

// putBackBelow restores what is in a folder. A file that was too large to be remembered,
// or that was set aside before, stays.
func (k *kept) putBackBelow(tell func(string)) {
	for i := range k.below {
		k.below[i].putBack(tell)
	}
	entries, _ := os.ReadDir(k.path)
	for _, e := range entries {
		path := filepath.Join(k.path, e.Name())
		if !slices.Contains(k.names, e.Name()) && !strings.Contains(e.Name(), aside) &&
			setAside(path, nil) {
			tell(path)
		}
	}
}

// remake creates the file, link or folder again where it is missing.
func (k *kept) remake() bool {
	dir, err := folderOf(k.path)
	if err != nil {
		return false
	}
	defer unix.Close(dir)
	if unix.Faccessat(dir, ".", unix.W_OK|unix.X_OK, 0) != nil {
		reopen(dir)
	}
	name, mode := filepath.Base(k.path), k.mode&^unix.S_IFMT
	switch k.mode & unix.S_IFMT {
	case unix.S_IFREG:
		return put(dir, name, k.text, mode)
	case unix.S_IFLNK:
		return unix.Symlinkat(k.target, dir, name) == nil
	}
	return unix.Mkdirat(dir, name, mode) == nil
}
