package integration

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"ua/internal/common/procfs"
)

// Waits reports whether the shell is reading the FIFO, as its hook does that waits for an
// answer. A program that has learnt the nonce can print the mark of a hook, but cannot
// put the shell into that read. Waits is true where the system does not tell.
func (in *Integration) Waits() bool {
	proc := "/proc/" + strconv.Itoa(in.PID)
	fds, err := os.ReadDir(proc + "/fd")
	if in.PID == 0 || err != nil {
		return true
	}
	info, err := in.answers.Stat() // what is now at its path may be a command's
	if err != nil {
		return true
	}
	var st unix.Stat_t
	fifo, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return true
	}
	reads, told := procfs.Reading(in.PID)
	for _, fd := range fds {
		if (!told || fd.Name() == reads) &&
			unix.Stat(filepath.Join(proc, "fd", fd.Name()), &st) == nil &&
			st.Dev == fifo.Dev && st.Ino == fifo.Ino {
			return true
		}
	}
	return false
}

// Meet takes the process for the shell's.
func (in *Integration) Meet(pid int) { in.PID = pid }
