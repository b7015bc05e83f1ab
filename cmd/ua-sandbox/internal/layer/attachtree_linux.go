package layer

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"ua/internal/common/confine"
)

// clone takes the trees that mounts will show, as they are before the rest is
// locked.
func (v *View) clone() ([]int, error) {
	trees := make([]int, len(v.Mounts))
	for i, c := range v.Mounts {
		trees[i] = -1
		from, take, attr := c.Path, plainTree, uint64(unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV)
		switch c.Kind {
		case Bind:
		case ReadOnlyBind:
			take = linkTree
			attr |= unix.MOUNT_ATTR_RDONLY
		case PrivateTmp:
			if from, take = v.Tmp, tree; from == "" {
				continue
			}
		default:
			continue
		}
		fd, err := take(from)
		if err == nil {
			err = lock(fd, "", attr)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", from, err)
		}
		trees[i] = fd
	}
	return trees, nil
}

// tree returns a detached copy of the mounts at path.
func tree(path string) (int, error) {
	return unix.OpenTree(unix.AT_FDCWD, path,
		unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
}

// Stays reports whether dir, which was resolved before, still is the working
// directory.
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

// plainTree returns tree for a path of the policy.
func plainTree(path string) (int, error) { return treeOr(path, 0) }

// linkTree returns plainTree for a path that may be a symbolic link.
func linkTree(path string) (int, error) { return treeOr(path, unix.O_NOFOLLOW) }

func treeOr(path string, flags int) (int, error) {
	at, err := confine.OpenPath(path, flags)
	if err != nil {
		return -1, err
	}
	defer unix.Close(at)
	return unix.OpenTree(at, "",
		unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE|unix.AT_EMPTY_PATH)
}

// lock gives attributes to the mounts at a path, or at an open tree.
func lock(fd int, path string, attr uint64) error {
	flags := uint(unix.AT_RECURSIVE)
	if path == "" {
		flags |= unix.AT_EMPTY_PATH
	}
	return unix.MountSetattr(fd, path, flags, &unix.MountAttr{Attr_set: attr})
}

// put attaches an open tree to a path without symbolic links and closes it.
func put(fd int, path string) error { return putOr(fd, path, 0) }

// putOr is put; with O_NOFOLLOW the path may be a link itself.
func putOr(fd int, path string, flags int) error {
	defer unix.Close(fd)
	at, err := confine.OpenPath(path, flags)
	if err != nil {
		return err
	}
	defer unix.Close(at)
	return unix.MoveMount(fd, "", at, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH)
}
