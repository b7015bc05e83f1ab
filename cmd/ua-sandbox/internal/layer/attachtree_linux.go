package layer

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"ua/internal/common/confine"
)

// tree returns a detached copy of the mounts at path.
func tree(path string) (int, error) {
	return unix.OpenTree(unix.AT_FDCWD, path,
		unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
}

// Stays returns an error if dir, which was resolved before, is no longer the working
// folder. A command may have replaced it meanwhile.
func Stays(dir string) error {
	fd, err := confine.OpenPath(dir, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var there, here unix.Stat_t
	if err := errors.Join(unix.Fstat(fd, &there), unix.Stat(".", &here)); err != nil {
		return err
	}
	if there.Dev != here.Dev || there.Ino != here.Ino {
		return fmt.Errorf("working directory: %w", unix.ESTALE)
	}
	return nil
}

// plainTree returns a tree for a path of the policy, in which no part is a link.
func plainTree(path string) (int, error) { return treeOr(path, 0) }

// linkTree is plainTree for a path whose last part may be a symbolic link.
func linkTree(path string) (int, error) { return treeOr(path, unix.O_NOFOLLOW) }

// treeOr opens the path first, so that no link is followed, and copies what it has
// opened.
func treeOr(path string, flags int) (int, error) {
	at, err := confine.OpenPath(path, flags)
	if err != nil {
		return -1, err
	}
	defer unix.Close(at)
	return unix.OpenTree(at, "",
		unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE|unix.AT_EMPTY_PATH)
}

// lock sets attributes of all mounts at a path or at an open tree (mount_setattr(2)).
func lock(fd int, path string, attr uint64) error {
	flags := uint(unix.AT_RECURSIVE)
	if path == "" {
		flags |= unix.AT_EMPTY_PATH
	}
	return unix.MountSetattr(fd, path, flags, &unix.MountAttr{Attr_set: attr})
}

// put attaches an open tree to a path without symbolic links, and closes it.
func put(fd int, path string) error { return putOr(fd, path, 0) }

// putOr is put. With O_NOFOLLOW the last part of the path may be a link.
func putOr(fd int, path string, flags int) error {
	defer unix.Close(fd)
	return attach(fd, path, flags, 0)
}

// attach attaches an open tree to a path, with flags of open(2) and of move_mount(2).
func attach(fd int, path string, open, move int) error {
	at, err := confine.OpenPath(path, open)
	if err != nil {
		return err
	}
	defer unix.Close(at)
	return unix.MoveMount(fd, "", at, "",
		move|unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH)
}
