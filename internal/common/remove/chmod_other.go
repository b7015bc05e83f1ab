//go:build unix && !linux

package remove

import "golang.org/x/sys/unix"

// chmod sets the mode of a folder, and follows no link.
func chmod(in int, name string, mode uint32) {
	_ = unix.Fchmodat(in, name, mode, unix.AT_SYMLINK_NOFOLLOW)
}
