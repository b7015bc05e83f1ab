package terminal

import "golang.org/x/sys/unix"

// The requests that get and set a terminal's modes (ioctl_tty(2)).
const (
	getModes = unix.TCGETS
	setModes = unix.TCSETS
)
