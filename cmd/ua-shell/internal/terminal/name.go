package terminal

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Name returns what tells one terminal from another: the device number of the terminal of
// the descriptor, in hexadecimal, or "" if it is no terminal.
func Name(fd int) string {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFCHR {
		return ""
	}
	return fmt.Sprintf("%x", st.Rdev)
}
