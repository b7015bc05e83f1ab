package machine

import (
	"golang.org/x/sys/unix"
)

// straight reports whether no symbolic link stands in the absolute path, as far as
// it exists. The kernel tells in one call (openat2(2), RESOLVE_NO_SYMLINKS): it
// meets the names in their order, so a name that is missing ends what could be a
// link. Where it can't tell, the answer is no.
func straight(file string) bool {
	fd, err := unix.Openat2(unix.AT_FDCWD, file, &unix.OpenHow{
		Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS,
	})
	if err == nil {
		unix.Close(fd)
	}
	return err == nil || err == unix.ENOENT || err == unix.ENOTDIR
}
