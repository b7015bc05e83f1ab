package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// discardInput throws away what was typed and not read yet.
func discardInput(tty *os.File) {
	unix.IoctlSetInt(int(tty.Fd()), unix.TCFLSH, unix.TCIFLUSH)
}
