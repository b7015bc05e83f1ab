//go:build !linux

package main

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

const getModes, setModes = unix.TIOCGETA, unix.TIOCSETA

// discardInput discards what was typed and not read yet (TIOCFLUSH with FREAD of 4.4BSD).
func discardInput(tty *os.File) {
	unix.IoctlSetPointerInt(int(tty.Fd()), unix.TIOCFLUSH, 1)
}

// turnAt is no lock here: there is no call for the device that /dev/tty stands for.
func turnAt(*os.File, time.Time) (release func(), err error) { return func() {}, nil }
