// Package layer applies the kernel's locks to the calling thread (session keyring,
// capabilities, no_new_privs, Landlock, seccomp, limits) and builds the mounts of a
// sandbox. A lock belongs to one thread and to what that thread starts. A stage can thus
// confine its command and stay free itself.
package layer

import (
	"fmt"

	"golang.org/x/sys/unix"

	"ua/internal/common/confine"
)

// A Confinement is what a thread permanently loses.
type Confinement struct {
	Keyring  bool // a new, empty session keyring
	Caps     Caps
	Landlock *confine.Landlock
	Filter   *confine.Filter
}

// Apply confines the calling thread. The caller must have locked its goroutine to the
// thread and must never unlock it. The order is that of need: Landlock needs
// no_new_privs, and seccomp comes last, because its filter forbids calls that the others
// make.
func (c Confinement) Apply() error {
	if c.Keyring {
		// A kernel without keyrings, or a container that forbids them, has none to take
		// away.
		_, _, errno := unix.RawSyscall(unix.SYS_KEYCTL, unix.KEYCTL_JOIN_SESSION_KEYRING, 0, 0)
		if errno != 0 && errno != unix.ENOSYS && errno != unix.EPERM {
			return fmt.Errorf("session keyring: %w", errno)
		}
	}
	if c.Caps != KeepCaps {
		if err := c.Caps.dropBounding(); err != nil {
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
	if c.Caps != KeepCaps {
		if err := c.Caps.drop(); err != nil {
			return err
		}
	}
	if c.Filter != nil {
		return c.Filter.Install()
	}
	return nil
}
