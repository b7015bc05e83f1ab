//go:build !linux

package tty

import (
	"os"

	"golang.org/x/sys/unix"
)

// The requests that get and set a terminal's modes (tcgetattr(3), tcsetattr(3)).
const GetModes, SetModes = unix.TIOCGETA, unix.TIOCSETA

// Discard discards what was typed and not read yet (TIOCFLUSH with FREAD of 4.4BSD).
func Discard(f *os.File) { unix.IoctlSetPointerInt(int(f.Fd()), unix.TIOCFLUSH, 1) }

// open returns nil: there is no call for the device that /dev/tty stands for.
func open(*os.File) *os.File { return nil }

func lock(*os.File) bool { return true }

func share(*os.File) bool { return true }

func unlock(*os.File) {}
