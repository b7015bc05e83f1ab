package terminal

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Name tells one terminal from another: the device number of the one behind the
// descriptor, or "" if that is none.
func Name(fd int) string {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFCHR {
		return ""
	}
	return fmt.Sprintf("%x", st.Rdev)
}
