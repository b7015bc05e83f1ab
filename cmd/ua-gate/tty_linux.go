package main

import (
	"os"

	"golang.org/x/sys/unix"
)

const getModes, setModes = unix.TCGETS, unix.TCSETS

// discardInput discards what was typed and not read yet (TCFLSH, ioctl_tty(2)).
func discardInput(tty *os.File) {
	unix.IoctlSetInt(int(tty.Fd()), unix.TCFLSH, unix.TCIFLUSH)
}
