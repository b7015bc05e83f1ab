package syscalls

import (
	"fmt"
	"strings"

	"golang.org/x/sys/unix"

	"ua/internal/common/tree"
)

// writing are the flags with which a file is opened to be made or changed.
const writing = unix.O_WRONLY | unix.O_RDWR | unix.O_CREAT | unix.O_TRUNC

// writes tells the Hearer of each file that a call writes to: its path if no cover holds
// it, and its place in the cover if the lower layer has it.
func (s *server) writes(n *notif, names []named) {
	opening, nofollow := false, false
	switch n.nr {
	// Its flags are in memory, which a filter cannot read.
	case unix.SYS_OPENAT2:
		flags, ok := n.openFlags()
		if !ok || flags&writing == 0 {
			return
		}
		opening, nofollow = true, flags&unix.O_NOFOLLOW != 0
	default:
		if at, ok := opens[uint32(n.nr)]; ok {
			opening, nofollow = true, n.args[at]&unix.O_NOFOLLOW != 0
		}
	}
	for _, name := range names {
		path, cover := s.reached(int(n.pid), name, opening && !nofollow)
		switch {
		case path == "":
		case cover < 0:
			s.hear.Written(path)
		default:
			rel := strings.TrimPrefix(path[len(s.covers[cover].Path):], "/")
			if HasFile(s.covers[cover].Lower, rel) {
				s.hear.Changed(cover, rel)
			}
		}
	}
}

// reached returns the absolute path to which a name leads a process, and the index of the
// cover that holds it, -1 for none. The path is "" if it cannot be told. With follow, a
// link of that name is followed.
func (s *server) reached(pid int, n named, follow bool) (path string, cover int) {
	if n.path == "" {
		return "", -1
	}
	if follow {
		if at := openAs(pid, n.fd, n.path, 0); at >= 0 {
			defer unix.Close(at)
			if unwritable(at) {
				return "", -1
			}
			return s.placeOf(at)
		}
	}
	dir, last := split(n.path)
	if !isName(last) {
		return "", -1
	}
	parent := openAs(pid, n.fd, dir, unix.O_DIRECTORY)
	if parent < 0 {
		return "", -1
	}
	defer unix.Close(parent)
	if unwritable(parent) { // though a file in it can be changed by its name
		at := openAs(pid, n.fd, n.path, unix.O_NOFOLLOW)
		if at < 0 {
			return "", -1
		}
		defer unix.Close(at)
		if unwritable(at) {
			return "", -1
		}
	}
	if path, cover = s.placeOf(parent); path != "" {
		path = strings.TrimSuffix(path, "/") + "/" + last
	}
	return path, cover
}

// unwritable reports whether nobody with the caller's rights can write to an open file,
// because of its mode or because it is mounted read-only there, as in a sandbox. What
// becomes of it is then the work of others. access(2) uses the user's own rights, not the
// capabilities of this process, and the mount by which the file was opened.
func unwritable(fd int) bool {
	switch unix.Faccessat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", fd), unix.W_OK, 0) {
	case unix.EROFS, unix.EACCES, unix.EPERM:
		return true
	}
	return false
}

// HasFile reports whether a folder has a file, not a folder, at a relative path. A link on the
// way is none, since in the view it leads to another file.
func HasFile(dir *tree.Root, rel string) bool {
	f, err := dir.At(rel).Lstat()
	return err == nil && f != nil && !f.IsFolder()
}
