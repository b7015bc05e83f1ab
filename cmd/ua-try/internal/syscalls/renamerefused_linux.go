package syscalls

import (
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// A rename that the kernel refuses anyway must not have its folder made anew
// first: a process that works in the folder would lose it.

// refused reports whether the kernel refuses the rename for reasons that have nothing to
// do with overlays (rename(2), ERRORS).
func (f *folder) refused(pid int, to named, flags uint64) bool {
	dir, last := split(to.path)
	if last == "" || last == "." || last == ".." {
		return true
	}
	parent := lookUp(pid, to.fd, dir, 0)
	if parent < 0 {
		return true
	}
	defer unix.Close(parent)
	var own, above, target unix.Stat_t
	if unix.Fstat(f.fd, &own) != nil || unix.Fstat(parent, &above) != nil || own.Dev != above.Dev ||
		!writable(f.parent) || !writable(parent) || within(parent, &own) {
		return true
	}
	err := unix.Fstatat(parent, last, &target, unix.AT_SYMLINK_NOFOLLOW)
	switch {
	case err != nil:
		return flags&unix.RENAME_EXCHANGE != 0
	case flags&unix.RENAME_NOREPLACE != 0, target.Ino == own.Ino && target.Dev == own.Dev:
		return true
	case flags&unix.RENAME_EXCHANGE != 0:
		return false
	}
	at, err := unix.Openat2(parent, last, &unix.OpenHow{
		Flags:   unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_DIRECTORY | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_NO_XDEV | unix.RESOLVE_NO_SYMLINKS})
	if err != nil {
		return true // no folder, or a mount
	}
	there := os.NewFile(uintptr(at), last)
	defer there.Close()
	_, err = there.Readdirnames(1)
	return err != io.EOF
}

// split cuts a path into the part that leads to a folder and the name in it. It keeps
// links and dots, which count.
func split(name string) (dir, last string) {
	name = strings.TrimRight(name, "/")
	i := strings.LastIndexByte(name, '/')
	if i < 0 {
		return ".", name
	}
	return name[:i+1], name[i+1:]
}

// writable reports whether the user of this process and the caller may put names into a
// folder. For root and for others' folders it is true: the kernel decides.
func writable(fd int) bool {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil {
		return false
	}
	return os.Geteuid() == 0 || int(st.Uid) != os.Geteuid() || st.Mode&0o300 == 0o300
}

// within reports whether an open folder is the given one or lies below it.
func within(fd int, top *unix.Stat_t) bool {
	at, err := unix.Openat(fd, ".", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	for err == nil {
		var st, above unix.Stat_t
		if unix.Fstat(at, &st) != nil {
			break
		}
		if st.Ino == top.Ino && st.Dev == top.Dev {
			unix.Close(at)
			return true
		}
		up, failed := unix.Openat(at, "..", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		unix.Close(at)
		if at, err = up, failed; err != nil {
			return false
		}
		if unix.Fstat(at, &above) != nil || above.Ino == st.Ino && above.Dev == st.Dev {
			break // the root
		}
	}
	if err == nil {
		unix.Close(at)
	}
	return false
}
