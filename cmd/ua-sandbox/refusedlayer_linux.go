package main

import (
	"errors"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/initprocess"
	"ua/internal/common/execwrap"
	"ua/internal/common/prog"
)

// refusal turns a refused layer into an error for a person, with a hint.
func refusal(err error, name string) error {
	var r *initprocess.Refused
	if !errors.As(err, &r) {
		return err
	}
	if r.Step == "exec" {
		return execwrap.StartError(name, r.Err)
	}
	status := prog.NotConfined
	if usedUp(r) {
		status = prog.TryLater
	}
	return prog.Errorf(status, "the sandbox can't be set up: %w", err).
		Hintf("%s", mend(r))
}

// replaced reports whether a layer was refused because of what lies in a folder, and not
// by the system. Another command can cause that, so it must not lead to a lower tier.
func replaced(r *initprocess.Refused) bool {
	return (r.Step == "mounts" || r.Step == "view") &&
		slices.ContainsFunc([]error{unix.ELOOP, unix.ENOTDIR, unix.ENOENT, unix.EEXIST,
			unix.ESTALE}, func(err error) bool { return errors.Is(r.Err, err) })
}

// usedUp reports whether a layer failed because nothing is left of what it takes: files,
// descriptors on their way (unix(7)), processes, memory or room. Another command of the
// same user can cause that, so it must not lead to a lower tier. A user namespace that
// the system's settings refuse fails with ENOSPC, too (user_namespaces(7)).
func usedUp(r *initprocess.Refused) bool {
	list := []error{unix.EMFILE, unix.ENFILE, unix.ETOOMANYREFS, unix.EAGAIN, unix.ENOMEM,
		unix.ENOBUFS, unix.EDQUOT}
	if r.Step != "namespaces" {
		list = append(list, unix.ENOSPC)
	}
	return slices.ContainsFunc(list, func(err error) bool { return errors.Is(r.Err, err) })
}

// mend says what a person can do about a refused layer.
func mend(r *initprocess.Refused) string {
	off := execwrap.NamespacesOff()
	_, noProc := os.Stat("/proc/self/exe")
	switch {
	case noProc != nil:
		return "there is no /proc here, as in a bare chroot: mount -t proc proc /proc"
	case replaced(r):
		return "a file or folder was replaced while the sandbox was made: run it again"
	case usedUp(r):
		return "your other programs have used up what it needs: run it again when they have ended"
	case r.Step == "locks":
		return "the kernel has no Landlock: boot one with CONFIG_SECURITY_LANDLOCK and landlock in lsm="
	case off != "":
		return off
	case errors.Is(r.Err, unix.EPERM) && r.Step == "namespaces":
		return "in a container, allow user namespaces: docker run --security-opt seccomp=unconfined, " +
			"or use --tier 2"
	}
	return "ua-sandbox --probe says what this system allows"
}
