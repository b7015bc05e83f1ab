//go:build !linux

package terminal

import "golang.org/x/sys/unix"

// The requests that get and set a terminal's modes (tcgetattr(3), tcsetattr(3)).
const (
	getModes = unix.TIOCGETA
	setModes = unix.TIOCSETA
)
