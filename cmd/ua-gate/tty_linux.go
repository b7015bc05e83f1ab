package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// discardInput discards what was typed and not read yet (TCFLSH, ioctl_tty(2)).
func discardInput(tty *os.File) {
	unix.IoctlSetInt(int(tty.Fd()), unix.TCFLSH, unix.TCIFLUSH)
}
