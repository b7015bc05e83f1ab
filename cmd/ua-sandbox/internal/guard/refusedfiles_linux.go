// Package guard looks after files that commands should not make or change where no mount
// keeps them from it: it puts them back, or moves them aside, and says so.
package guard

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"ua/internal/common/confine"
)

// aside is added to the name of a protected file that a command has made.
const aside = ".refused"

// SetAside renames what is at path within its folder, reached without symbolic links, and
// writes rest in its place, if there is any. It works even if a command has taken likely
// names or has closed the folder.
func SetAside(path string, rest []byte) bool {
	dir, err := folderOf(path)
	if err != nil {
		return false
	}
	defer unix.Close(dir)
	name := filepath.Base(path)
	done := MoveAside(dir, name, dir)
	if done && len(rest) > 0 {
		put(dir, name, rest, 0o644)
	}
	return done
}

// MoveAside gives what has a name in one folder another one in the other folder.
func MoveAside(from int, name string, to int) bool {
	for n := range 100 {
		err := unix.Renameat2(from, name, to, asideName(name, n), unix.RENAME_NOREPLACE)
		if err == unix.EACCES && reopen(to) {
			err = unix.Renameat2(from, name, to, asideName(name, n), unix.RENAME_NOREPLACE)
		}
		if err != unix.EEXIST {
			return err == nil
		}
	}
	return false
}

// asideName returns the nth name for what is set aside. After many that are taken only a
// random one ends the search. A name has at most 255 bytes.
func asideName(name string, n int) string {
	name = name[:min(len(name), unix.NAME_MAX-len(aside+"-00000000"))]
	switch {
	case n > 50:
		return fmt.Sprintf("%s%s-%08x", name, aside, rand.Uint32())
	case n > 0:
		return name + aside + fmt.Sprint(n)
	}
	return name + aside
}

// reopen gives the owner of a folder write access to it again.
func reopen(dir int) bool {
	var stat unix.Stat_t
	return unix.Fstat(dir, &stat) == nil &&
		unix.Fchmodat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", dir), stat.Mode&0o7777|0o700,
			0) == nil
}

// reopenTo reopens the folders above a path that have been closed to their owner since.
func reopenTo(path string, since time.Time) {
	var stat unix.Stat_t
	if unix.Lstat(path, &stat) != unix.EACCES {
		return
	}
	reopenTo(filepath.Dir(path), since)
	dir, err := folderOf(path)
	if err != nil {
		return
	}
	defer unix.Close(dir)
	if unix.Fstat(dir, &stat) == nil && stat.Ctim.Nano() >= since.UnixNano() {
		reopen(dir)
	}
}

// folderOf opens the folder of path, reached without symbolic links.
func folderOf(path string) (int, error) {
	return confine.OpenPath(filepath.Dir(path), unix.O_DIRECTORY)
}

// put writes a new file in a folder. If something has its name, that is looked at in
// turn.
func put(dir int, name string, text []byte, mode uint32) bool {
	fd, err := unix.Openat(dir, name,
		unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, mode)
	if err != nil {
		return false
	}
	f := os.NewFile(uintptr(fd), name)
	_, err = f.Write(text)
	return errors.Join(err, f.Close()) == nil
}

// An Inode tells a file from any other.
type Inode struct{ Dev, Ino uint64 }

// InodeAt returns what is at a path, which is no link's.
func InodeAt(path string) Inode {
	var stat unix.Stat_t
	_ = unix.Lstat(path, &stat)
	return InodeOf(stat)
}

// InodeOf returns what has that state.
func InodeOf(stat unix.Stat_t) Inode { return Inode{uint64(stat.Dev), stat.Ino} }

// isFolder reports whether path leads to a folder.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
