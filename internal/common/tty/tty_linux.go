package tty

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// The requests that get and set a terminal's modes (ioctl_tty(2)).
const GetModes, SetModes = unix.TCGETS, unix.TCSETS

// Discard discards what was typed and not read yet (TCFLSH, ioctl_tty(2)).
func Discard(f *os.File) { unix.IoctlSetInt(int(f.Fd()), unix.TCFLSH, unix.TCIFLUSH) }

// open opens the pseudo-terminal anew, since locks belong to who has opened a file (flock(2)).
// All terminals share the file /dev/tty, and with it its locks.
func open(f *os.File) *os.File {
	number, err := unix.IoctlGetUint32(int(f.Fd()), unix.TIOCGDEV)
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

// lock takes the terminal alone, unless somebody has it. Where locks don't work it is free.
func lock(f *os.File) bool { return flock(f, unix.LOCK_EX) }

// share takes it together with others that only print.
func share(f *os.File) bool { return flock(f, unix.LOCK_SH) }

func unlock(f *os.File) { unix.Flock(int(f.Fd()), unix.LOCK_UN) }

func flock(f *os.File, how int) bool {
	return unix.Flock(int(f.Fd()), how|unix.LOCK_NB) != unix.EWOULDBLOCK
}
