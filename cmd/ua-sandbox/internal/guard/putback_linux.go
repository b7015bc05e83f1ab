package guard

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"ua/internal/common/confine"
	"ua/internal/common/safefile"
)

// Limits on what is remembered.
const (
	maxKept     = 1 << 20 // bytes of a file
	maxKeptAll  = 32 << 20
	maxKeptDeep = 4
)

// A kept is the state of a protected file or folder when the command began, for tiers
// without mounts. What the command has changed is restored from it.
type kept struct {
	path string
	mode uint32 // with the type
	text []byte // of a file, or the target of a link
	open bool   // the command may change all but the mode
}

// keep remembers the paths and what is below them, folders first; of what lies deep, is too large
// or is neither file, folder nor link only the mode.
func keep(paths []string) (list []kept) {
	room := maxKeptAll
	for _, path := range paths {
		_ = filepath.WalkDir(path, func(at string, _ fs.DirEntry, _ error) error {
			k := kept{path: at, mode: modeOf(at), open: true}
			deep := strings.Count(at[len(path):], "/") >= maxKeptDeep
			if !deep {
				if text, err := textOf(at, k.mode, min(maxKept, room)); err == nil {
					room, k.text, k.open = room-len(text), text, false
				}
			}
			if k.mode != 0 {
				list = append(list, k)
			}
			if deep && k.mode&unix.S_IFMT == unix.S_IFDIR {
				return fs.SkipDir
			}
			return nil
		})
	}
	return list
}

// modeOf returns the mode of what is at a path, 0 if nothing is.
func modeOf(path string) uint32 {
	var stat unix.Stat_t
	if unix.Lstat(path, &stat) != nil {
		return 0
	}
	return stat.Mode
}

// textOf returns what a file or a link holds. A folder holds nothing here, and a device, a
// socket or a FIFO cannot be made again.
func textOf(path string, mode uint32, most int) (text []byte, err error) {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return safefile.Read(path, int64(most))
	case unix.S_IFLNK:
		to, err := os.Readlink(path)
		return []byte(to), err
	case unix.S_IFDIR:
		return nil, nil
	}
	return nil, fs.ErrInvalid
}

// modes remembers only the access rights of the paths. After the command has changed
// them, another user could get in.
func modes(paths []string) (list []kept) {
	for _, path := range paths {
		if mode := modeOf(path); mode != 0 && mode&unix.S_IFMT != unix.S_IFLNK {
			list = append(list, kept{path: path, mode: mode, open: true})
		}
	}
	return list
}

// putBackMode restores the access rights of the path, and reports whether they had
// changed. The file is opened first and changed through /proc, so that a link which
// replaces it meanwhile is not followed.
func (k *kept) putBackMode() bool {
	fd, err := confine.OpenPath(k.path, unix.O_NOFOLLOW)
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

// putBack restores what the command has changed, and sets aside what it has put there or made
// in a folder that was kept. A file that was set aside before stays.
func putBack(list []kept, done *Account) {
	for _, k := range list {
		switch now := modeOf(k.path); {
		case k.open || k.same(now):
			if k.putBackMode() {
				done.Add(restored, k.path, "")
			}
		case (now == 0 || SetAside(k.path, nil)) && k.remake():
			done.Add(restored, k.path, "")
		default:
			done.Add(unrestored, k.path, "")
		}
	}
	known := map[string]bool{}
	for _, k := range list {
		known[k.path] = true
	}
	for _, k := range list {
		entries, _ := os.ReadDir(k.path) // of no other than a folder
		for _, e := range entries {
			path := filepath.Join(k.path, e.Name())
			if k.mode&unix.S_IFMT == unix.S_IFDIR && !k.open && !known[path] &&
				!strings.Contains(e.Name(), aside) && SetAside(path, nil) {
				done.Add(restored, path, "")
			}
		}
	}
}

// same reports whether what is at the path, of that mode, is what was there.
func (k *kept) same(mode uint32) bool {
	if mode&unix.S_IFMT != k.mode&unix.S_IFMT {
		return false
	}
	text, err := textOf(k.path, mode, maxKept)
	return err == nil && bytes.Equal(text, k.text)
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
		return unix.Symlinkat(string(k.text), dir, name) == nil
	}
	return unix.Mkdirat(dir, name, mode) == nil
}
