// Package layer puts the kernel's locks on the calling thread: session keyring,
// capabilities, no_new_privs, Landlock, seccomp, limits; and builds the mounts
// of a sandbox. Each lock is on one thread and on what that thread starts, so
// that a stage can confine its command and stay free itself.
package layer

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-sandbox/internal/policy"
)

// A Confinement is what a thread loses for good.
type Confinement struct {
	Keyring  bool // a new, empty session keyring
	Caps     bool // all capabilities go
	Landlock *Landlock
	Filter   *Filter
}

// Apply confines the calling thread, which must be locked to its goroutine and
// never be unlocked.
func (c Confinement) Apply() error {
	if c.Keyring {
		// A kernel without keyrings, or one that a container shuts off, has nothing to take away.
		_, _, errno := unix.RawSyscall(unix.SYS_KEYCTL, unix.KEYCTL_JOIN_SESSION_KEYRING, 0, 0)
		if errno != 0 && errno != unix.ENOSYS && errno != unix.EPERM {
			return fmt.Errorf("session keyring: %w", errno)
		}
	}
	if c.Caps {
		if err := dropBounding(); err != nil {
			return err
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no_new_privs: %w", err)
	}
	if c.Landlock != nil {
		if err := c.Landlock.Restrict(); err != nil {
			return err
		}
	}
	if c.Caps {
		if err := dropCaps(); err != nil {
			return err
		}
	}
	if c.Filter != nil {
		return c.Filter.Install()
	}
	return nil
}

// dropBounding empties the set that a root's exec(2) would fill its
// capabilities from. Without CAP_SETPCAP there is nothing in the other sets
// that an exec(2) under no_new_privs could get at.
func dropBounding() error {
	for c := uintptr(0); c <= unix.CAP_LAST_CAP+16; c++ {
		switch err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err {
		case nil:
		case unix.EINVAL, unix.EPERM:
			return nil
		default:
			return fmt.Errorf("capability bounding set: %w", err)
		}
	}
	return nil
}

// dropCaps empties the thread's own sets.
func dropCaps() error {
	_ = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if _, _, errno := unix.RawSyscall(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&header)), uintptr(unsafe.Pointer(&none[0])), 0); errno != 0 {
		return fmt.Errorf("capabilities: %w", errno)
	}
	return nil
}

// SetLimits bounds the calling process and what it starts.
func SetLimits(l policy.Limits) error {
	for _, limit := range []struct {
		resource int
		value    uint64
		name     string
	}{
		{unix.RLIMIT_DATA, uint64(l.Mem), "mem"}, {unix.RLIMIT_CPU, uint64(l.CPU), "cpu"},
		{unix.RLIMIT_FSIZE, uint64(l.Fsize), "fsize"}, {unix.RLIMIT_NPROC, l.Pids, "pids"},
	} {
		if limit.value == 0 {
			continue
		}
		var now unix.Rlimit
		if err := unix.Getrlimit(limit.resource, &now); err != nil {
			return fmt.Errorf("limit %s: %w", limit.name, err)
		}
		to := min(limit.value, now.Max)
		if err := unix.Setrlimit(limit.resource, &unix.Rlimit{Cur: to, Max: to}); err != nil {
			return fmt.Errorf("limit %s: %w", limit.name, err)
		}
	}
	return nil
}
