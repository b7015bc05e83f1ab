package main

import "golang.org/x/sys/unix"

// pending returns how many bytes wait in the pipe.
func pending(fd int) int {
	n, err := unix.IoctlGetInt(fd, unix.TIOCINQ)
	if err != nil {
		return 0
	}
	return n
}

// widen lets the pipe hold 1 MiB, the most that an ordinary user may ask for.
func widen(fd int) { unix.FcntlInt(uintptr(fd), unix.F_SETPIPE_SZ, 1<<20) }
