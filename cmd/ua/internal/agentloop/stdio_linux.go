package agentloop

import (
	"os"

	"golang.org/x/sys/unix"
)

// hasUnread reports whether a pipe holds unread bytes (ioctl_tty(2), TIOCINQ).
func hasUnread(f *os.File) bool {
	n, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCINQ)
	return err == nil && n > 0
}

// duplicate makes the descriptor to a copy of from. Some architectures have only dup3(2) for
// that.
func duplicate(from, to int) error { return unix.Dup3(from, to, 0) }
