package remove

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// chmod sets the mode of a folder, and of nothing else that somebody has put at its name
// meanwhile. Before Linux 6.6 no call does that by name, but one does by /proc.
func chmod(in int, name string, mode uint32) {
	fd, err := unix.Openat(in, name, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err == nil {
		_ = unix.Fchmodat(unix.AT_FDCWD, "/proc/self/fd/"+strconv.Itoa(fd), mode, 0)
		unix.Close(fd)
	}
}
