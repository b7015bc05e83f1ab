//go:build !linux

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

const getModes, setModes = unix.TIOCGETA, unix.TIOCSETA

// discardInput discards what was typed and not read yet (TIOCFLUSH with FREAD of 4.4BSD).
func discardInput(tty *os.File) {
	unix.IoctlSetPointerInt(int(tty.Fd()), unix.TIOCFLUSH, 1)
}
