package ring

import (
	"os"

	"golang.org/x/sys/unix"
)

// unread reports whether a pipe holds bytes (ioctl_tty(2), TIOCINQ).
func unread(pipe *os.File) bool {
	n, err := unix.IoctlGetInt(int(pipe.Fd()), unix.TIOCINQ)
	return err == nil && n > 0
}

// dup makes descriptor to the same as from (dup(2)); not every architecture has
// dup2.
func dup(from, to int) error { return unix.Dup3(from, to, 0) }
