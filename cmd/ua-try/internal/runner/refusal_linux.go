package runner

import (
	"errors"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"ua/internal/common/execwrap"
	"ua/internal/common/prog"
)

// refuse returns the error for a command that was not run.
func refuse(format string, a ...any) *prog.Error {
	return prog.Errorf(prog.NotConfined, "not run: "+format, a...)
}

// remedy returns what a person can do about a refusal.
func remedy(err error, asis, covers []string) string {
	off := execwrap.NamespacesOff()
	switch {
	case off != "":
		return off
	case errors.Is(err, unix.ENODEV):
		return "the kernel has no overlayfs: modprobe overlay"
	case errors.Is(err, unix.EINVAL) && len(asis)+len(covers) > 1:
		others := slices.Concat(asis, covers[1:])
		return "a user can't cover a folder that has mounts in it, here " +
			strings.Join(others, ", ") +
			": run it in a folder without one, or as root"
	case errors.Is(err, unix.ENOTEMPTY):
		return "-o DIR names a folder that is empty or not there yet"
	case errors.Is(err, unix.EPERM):
		return "in a container, allow user namespaces and mounts: docker run --security-opt " +
			"seccomp=unconfined --cap-add SYS_ADMIN"
	}
	return "-o DIR names a folder on a disk that holds extended attributes and is no overlay"
}

// otherPlaceHelps reports whether another place for the changes might not be refused.
func otherPlaceHelps(err error) bool {
	for _, errno := range []error{unix.EINVAL, unix.ELOOP, unix.ENOSPC, unix.EOPNOTSUPP} {
		if errors.Is(err, errno) {
			return true
		}
	}
	return false
}
