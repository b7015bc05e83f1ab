package ring

import (
	"os"

	"golang.org/x/sys/unix"
)

// unread reports whether a pipe holds unread bytes (ioctl_tty(2), TIOCINQ).
func unread(pipe *os.File) bool {
	n, err := unix.IoctlGetInt(int(pipe.Fd()), unix.TIOCINQ)
	return err == nil && n > 0
}

// dup makes the descriptor to a copy of from. Some architectures have only dup3(2) for
// that.
func dup(from, to int) error { return unix.Dup3(from, to, 0) }
