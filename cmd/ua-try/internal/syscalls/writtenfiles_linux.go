package syscalls

import (
	"encoding/binary"
	"fmt"
	"strings"

	"golang.org/x/sys/unix"

	"ua/internal/common/confine"
)

// A place is where a call has a path: the index of the argument with the descriptor of
// the folder in which it begins, -1 for the working folder, and of the one with its
// address.
type place struct{ fd, name int }

// A named file is one that a process names: a path, and the descriptor of the folder in
// which it begins, unless it is absolute.
type named struct {
	fd   int
	path string
}

// names returns the files that a call makes, changes or removes. It returns none if they
// cannot be read, in which case the kernel answers EFAULT.
func (n *notif) names() (list []named) {
	for _, p := range writes[uint32(n.nr)] {
		fd := unix.AT_FDCWD
		if p.fd >= 0 {
			fd = int(int32(n.args[p.fd]))
		}
		path, ok := readString(int(n.pid), uintptr(n.args[p.name]))
		if !ok {
			return nil
		}
		list = append(list, named{fd, path})
	}
	return list
}

// renameFlags returns the flags of a call that renames.
func (n *notif) renameFlags() uint64 {
	if n.nr == unix.SYS_RENAMEAT2 {
		return n.args[4]
	}
	return 0
}

// writing are the flags with which a file is opened to be made or changed.
const writing = unix.O_WRONLY | unix.O_RDWR | unix.O_CREAT | unix.O_TRUNC

// writes tells the Hearer of each file that a call writes to: its path if no cover holds
// it, and its place in the cover if the lower layer has it.
func (s *server) writes(n *notif, names []named) {
	opening, nofollow := false, false
	switch n.nr {
	// Its flags are in memory, which a filter cannot read.
	case unix.SYS_OPENAT2:
		flags, ok := readFlags(int(n.pid), uintptr(n.args[2]))
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

// HasFile reports whether an open folder has a file, not a folder, at a relative path. A
// link on the way is none, since in the view it leads to another file.
func HasFile(dir int, rel string) bool {
	fd, err := unix.Openat2(dir, rel, &unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS,
	})
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	return unix.Fstat(fd, &st) == nil && st.Mode&unix.S_IFMT != unix.S_IFDIR
}

// readFlags reads the flags of a struct open_how (openat2(2)) of another process.
func readFlags(pid int, address uintptr) (uint64, bool) {
	raw := make([]byte, 8)
	local := []unix.Iovec{{Base: &raw[0], Len: uint64(len(raw))}}
	n, err := unix.ProcessVMReadv(pid, local, []unix.RemoteIovec{{Base: address, Len: len(raw)}}, 0)
	return binary.NativeEndian.Uint64(raw), err == nil && n == len(raw)
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
	parent := lookUp(pid, n.fd, dir, 0)
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

// placeOf returns the path of an open file that can hold data, and the index of the cover
// that it belongs to, -1 for none.
func (s *server) placeOf(fd int) (path string, cover int) {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil {
		return "", -1
	}
	if kind := st.Mode & unix.S_IFMT; kind != unix.S_IFREG && kind != unix.S_IFDIR {
		return "", -1
	}
	path, err := pathOf(fd)
	if err != nil || !strings.HasPrefix(path, "/") || strings.HasSuffix(path, " (deleted)") {
		return "", -1
	}
	var fs unix.Statfs_t // a file's own device can be that of a layer
	if unix.Fstatfs(fd, &fs) != nil {
		return "", -1
	}
	if fs.Type == unix.OVERLAYFS_SUPER_MAGIC {
		return path, s.coverOf(path)
	}
	return path, -1
}

// coverOf returns the index of the innermost cover that holds a path, -1 for none.
func (s *server) coverOf(path string) int {
	cover := -1
	for i, c := range s.covers {
		if confine.Under(path, c.Path) && (cover < 0 || len(c.Path) > len(s.covers[cover].Path)) {
			cover = i
		}
	}
	return cover
}
