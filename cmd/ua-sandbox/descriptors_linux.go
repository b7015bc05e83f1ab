package main

import (
	"golang.org/x/sys/unix"

	"ua/internal/common/prog"
)

// keepOnly closes every descriptor at exec except the standard ones and those in fds. A
// standard descriptor that is a folder is refused: what lies in it can be reached through
// it, past every mount.
func keepOnly(fds []int) error {
	for fd := range 3 {
		var stat unix.Stat_t
		if unix.Fstat(fd, &stat) == nil && stat.Mode&unix.S_IFMT == unix.S_IFDIR {
			return prog.Errorf(prog.NotConfined, "descriptor %d is a folder outside the sandbox",
				fd).Hintf("give a file, a pipe or /dev/null; --fd keeps other descriptors")
		}
	}
	if err := unix.CloseRange(3, ^uint(0), unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return prog.Errorf(prog.NotConfined, "close_range: %w", err).
			Hintf("the kernel is too old: Landlock needs Linux 5.13")
	}
	for _, fd := range fds {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETFD, 0); err != nil {
			return usage("--fd %d: %w", fd, err)
		}
	}
	return nil
}
