package pipe

import "golang.org/x/sys/unix"

// Pending returns how many bytes wait in the pipe.
func Pending(fd int) int {
	n, err := unix.IoctlGetInt(fd, unix.TIOCINQ)
	if err != nil {
		return 0
	}
	return n
}

// Widen lets the pipe hold 1 MiB, the most that an ordinary user may ask for.
func Widen(fd int) { unix.FcntlInt(uintptr(fd), unix.F_SETPIPE_SZ, 1<<20) }
