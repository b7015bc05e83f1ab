package main

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

const getModes, setModes = unix.TCGETS, unix.TCSETS

// discardInput discards what was typed and not read yet (TCFLSH, ioctl_tty(2)).
func discardInput(tty *os.File) {
	unix.IoctlSetInt(int(tty.Fd()), unix.TCFLSH, unix.TCIFLUSH)
}

// turnAt waits until no other gate asks on the terminal, so that an answer goes to the
// question that is on the screen, and keeps others waiting until release is called.
func turnAt(tty *os.File, end time.Time) (release func(), err error) {
	device := openDevice(tty)
	if device == nil { // it is somebody else's, or no terminal window
		return func() {}, nil
	}
	for {
		if unix.Flock(int(device.Fd()), unix.LOCK_EX|unix.LOCK_NB) != unix.EWOULDBLOCK {
			return func() { device.Close() }, nil
		}
		if time.Now().After(end) {
			device.Close()
			return nil, errLate
		}
		time.Sleep(nextTurn)
	}
}

// openDevice opens the pseudo-terminal that /dev/tty stands for, or returns nil. All
// terminals share the file /dev/tty, and with it its locks.
func openDevice(tty *os.File) *os.File {
	number, err := unix.IoctlGetUint32(int(tty.Fd()), unix.TIOCGDEV)
	if err != nil || unix.Major(uint64(number)) != 136 { // UNIX98_PTY_SLAVE_MAJOR
		return nil
	}
	path := fmt.Sprintf("/dev/pts/%d", unix.Minor(uint64(number)))
	device, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	return device
}
