package syscalls

import (
	"bytes"
	"encoding/binary"
	"os"

	"golang.org/x/sys/unix"
)

// notif is struct seccomp_notif (seccomp_unotify(2)).
type notif struct {
	id    uint64
	pid   uint32
	flags uint32
	nr    int32
	arch  uint32
	ip    uint64
	args  [6]uint64
}

// A named file is one that a process names: a path, and the descriptor of the folder in
// which it begins, unless it is absolute.
type named struct {
	fd   int
	path string
}

// names returns the files that a call makes, changes or removes. It returns none if they
// cannot be read, in which case the kernel answers EFAULT.
func (n *notif) names() (list []named) {
	for _, at := range writes[uint32(n.nr)] {
		fd := unix.AT_FDCWD
		if at[0] >= 0 {
			fd = int(int32(n.args[at[0]]))
		}
		path, ok := readString(int(n.pid), uintptr(n.args[at[1]]))
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

// openFlags returns the flags of an openat2(2), which are in memory: they begin its struct
// open_how. ok is false if they cannot be read.
func (n *notif) openFlags() (flags uint64, ok bool) {
	raw := make([]byte, 8)
	ok = read(int(n.pid), uintptr(n.args[2]), raw) == len(raw)
	return binary.NativeEndian.Uint64(raw), ok
}

// readString reads a string from another process's memory, up to PATH_MAX.
func readString(pid int, address uintptr) (string, bool) {
	var text []byte
	page := uintptr(os.Getpagesize())
	for len(text) < unix.PathMax {
		// Not beyond a page at a time: the next one may not be mapped.
		buf := make([]byte, min(page-address%page, uintptr(unix.PathMax-len(text))))
		n := read(pid, address, buf)
		if n <= 0 {
			return "", false
		}
		if end := bytes.IndexByte(buf[:n], 0); end >= 0 {
			return string(append(text, buf[:end]...)), true
		}
		text, address = append(text, buf[:n]...), address+uintptr(n)
	}
	return "", false
}

// read reads another process's memory into buf, and returns how many bytes there are.
func read(pid int, address uintptr, buf []byte) int {
	local := []unix.Iovec{{Base: &buf[0], Len: uint64(len(buf))}}
	remote := []unix.RemoteIovec{{Base: address, Len: len(buf)}}
	n, err := unix.ProcessVMReadv(pid, local, remote, 0)
	if err != nil {
		return 0
	}
	return n
}
