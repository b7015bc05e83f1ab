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
