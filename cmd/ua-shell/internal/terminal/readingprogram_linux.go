package terminal

import (
	"fmt"

	"golang.org/x/sys/unix"

	"ua/internal/common/procfs"
)

// Awaited reports whether a program in the foreground of the PTY waits in read(2) for a
// line, as one does that asks for a yes (proc(5), /proc/PID/syscall).
func Awaited(pty int) bool {
	group, err := unix.IoctlGetInt(pty, unix.TIOCGPGRP)
	if err != nil {
		return false
	}
	number, err := unix.IoctlGetInt(pty, unix.TIOCGPTN)
	if err != nil {
		return false
	}
	for pid, p := range procfs.All() {
		if p.Group == group && readsFrom(pid, number) {
			return true
		}
	}
	return false
}

// readsFrom reports whether the process is reading the terminal /dev/pts/number.
func readsFrom(pid, number int) bool {
	fd, _ := procfs.Reading(pid)
	var st unix.Stat_t
	if fd == "" || unix.Stat(fmt.Sprintf("/proc/%d/fd/%s", pid, fd), &st) != nil ||
		st.Mode&unix.S_IFMT != unix.S_IFCHR {
		return false
	}
	const pts = 136 // the major number (devices.txt); /dev/tty has 5, 0
	major, minor := unix.Major(st.Rdev), unix.Minor(st.Rdev)
	return major == pts && int(minor) == number || major == 5 && minor == 0
}
