package pipe

import "golang.org/x/sys/unix"

// Pending returns how many unread bytes are in the pipe (ioctl_tty(2), TIOCINQ).
func Pending(fd int) int {
	n, err := unix.IoctlGetInt(fd, unix.TIOCINQ)
	if err != nil {
		return 0
	}
	return n
}

// Widen lets the pipe hold 1 MiB, which is the most for an ordinary user (pipe(7),
// /proc/sys/fs/pipe-max-size).
func Widen(fd int) { unix.FcntlInt(uintptr(fd), unix.F_SETPIPE_SZ, 1<<20) }
