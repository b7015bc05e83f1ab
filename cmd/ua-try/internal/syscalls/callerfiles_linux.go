package syscalls

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// lookUp opens a folder in the way the process would. It returns -1 for none.
func lookUp(pid, fd int, name string, flags uint64) int {
	return openAs(pid, fd, name, unix.O_DIRECTORY|flags)
}

// openAs opens a file, for its path alone, in the way the process would: by its root, its
// working folder and its descriptors, and so by its own mounts. It returns -1 for none.
func openAs(pid, fd int, name string, flags uint64) int {
	how := &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC | flags,
		Resolve: unix.RESOLVE_NO_MAGICLINKS}
	base := fmt.Sprintf("/proc/%d/cwd", pid)
	if strings.HasPrefix(name, "/") {
		base = fmt.Sprintf("/proc/%d/root", pid)
		how.Resolve |= unix.RESOLVE_IN_ROOT
	} else if fd != unix.AT_FDCWD {
		base = fmt.Sprintf("/proc/%d/fd/%d", pid, fd)
	}
	from, err := unix.Open(base, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1
	}
	defer unix.Close(from)
	at, err := unix.Openat2(from, name, how)
	if err != nil {
		return -1
	}
	return at
}

// readString reads a string from another process's memory, up to PATH_MAX.
func readString(pid int, address uintptr) (string, bool) {
	var text []byte
	page := uintptr(os.Getpagesize())
	for len(text) < unix.PathMax {
		// Not beyond a page at a time: the next one may not be mapped.
		buf := make([]byte, min(page-address%page, uintptr(unix.PathMax-len(text))))
		local := []unix.Iovec{{Base: &buf[0], Len: uint64(len(buf))}}
		n, err := unix.ProcessVMReadv(pid, local,
			[]unix.RemoteIovec{{Base: address, Len: len(buf)}}, 0)
		if err != nil || n <= 0 {
			return "", false
		}
		if end := bytes.IndexByte(buf[:n], 0); end >= 0 {
			return string(append(text, buf[:end]...)), true
		}
		text, address = append(text, buf[:n]...), address+uintptr(n)
	}
	return "", false
}

// sameFile reports whether a call renames one name of a file to another name of it. That
// does nothing, and is allowed even where no name may be changed (rename(2), NOTES). The
// upper layer knows, since files that are linked in the view are there.
func (s *server) sameFile(n *notif, names [2]named) bool {
	if n.renameFlags()&^unix.RENAME_EXCHANGE != 0 {
		return false
	}
	one, ok := s.linked(int(n.pid), names[0])
	if !ok {
		return false
	}
	two, ok := s.linked(int(n.pid), names[1])
	return ok && one.Ino == two.Ino && one.Dev == two.Dev
}

// linked returns the file in the upper layer that a process names. ok is false unless it
// has other names there.
func (s *server) linked(pid int, n named) (st unix.Stat_t, ok bool) {
	dir, last := split(n.path)
	if !isName(last) || strings.HasSuffix(n.path, "/") {
		return st, false
	}
	parent := lookUp(pid, n.fd, dir, 0)
	if parent < 0 {
		return st, false
	}
	defer unix.Close(parent)
	full, err := pathOf(parent)
	if err != nil {
		return st, false
	}
	for _, c := range s.covers {
		var view unix.Stat_t
		rel, ok := strings.CutPrefix(full+"/", strings.TrimSuffix(c.Path, "/")+"/")
		if !ok || unix.Fstat(parent, &view) != nil || view.Dev != c.Dev {
			continue
		}
		err := unix.Fstatat(c.Upper, rel+last, &st, unix.AT_SYMLINK_NOFOLLOW)
		kind := st.Mode & unix.S_IFMT
		gone := kind == unix.S_IFCHR && st.Rdev == 0 // the kernel links what marks a deleted file
		return st, err == nil && st.Nlink > 1 && kind != unix.S_IFDIR && !gone
	}
	return st, false
}
