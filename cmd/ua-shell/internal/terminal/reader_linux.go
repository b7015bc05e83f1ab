package terminal

import (
	"os"
	"strconv"
	"strings"

	"ua/internal/common/procfs"

	"golang.org/x/sys/unix"
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
		if p.Group == group && readsFrom("/proc/"+strconv.Itoa(pid), number) {
			return true
		}
	}
	return false
}

// readsFrom reports whether the process is reading the terminal /dev/pts/number.
func readsFrom(proc string, number int) bool {
	text, _ := os.ReadFile(proc + "/syscall")
	fields := strings.Fields(string(text))
	if len(fields) < 2 || fields[0] != strconv.Itoa(unix.SYS_READ) {
		return false
	}
	fd, err := strconv.ParseUint(strings.TrimPrefix(fields[1], "0x"), 16, 31)
	if err != nil {
		return false
	}
	var st unix.Stat_t
	if unix.Stat(proc+"/fd/"+strconv.FormatUint(fd, 10), &st) != nil ||
		st.Mode&unix.S_IFMT != unix.S_IFCHR {
		return false
	}
	const pts = 136 // the major number (devices.txt); /dev/tty has 5, 0
	major, minor := unix.Major(st.Rdev), unix.Minor(st.Rdev)
	return major == pts && int(minor) == number || major == 5 && minor == 0
}
