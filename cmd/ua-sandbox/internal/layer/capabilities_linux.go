package layer

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Caps says which capabilities a command has (capabilities(7)).
type Caps int

// The sets of capabilities.
const (
	KeepCaps Caps = iota
	NoCaps
	RootCaps   // all but those that could take the masks off
	AccessCaps // to read and write files of other users
	OwnerCaps  // the same, and to change modes, times and owners
)

// unmasking are the capabilities that RootCaps lacks: for mounts, other processes'
// memory, files by handle, raw devices, and the kernel itself.
const unmasking = 1<<unix.CAP_SYS_ADMIN | 1<<unix.CAP_SYS_PTRACE |
	1<<unix.CAP_DAC_READ_SEARCH | 1<<unix.CAP_SYS_RAWIO | 1<<unix.CAP_SYS_MODULE |
	1<<unix.CAP_SYS_BOOT | 1<<unix.CAP_SYS_CHROOT | 1<<unix.CAP_MKNOD |
	1<<unix.CAP_BPF | 1<<unix.CAP_PERFMON

// kept returns the capabilities of the set, a bit for each.
func (s Caps) kept() uint64 {
	switch s {
	case RootCaps:
		return ^uint64(unmasking)
	case AccessCaps:
		return 1 << unix.CAP_DAC_OVERRIDE
	case OwnerCaps:
		return 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_FOWNER | 1<<unix.CAP_CHOWN
	}
	return 0
}

// dropBounding removes capabilities from the bounding set, from which exec(2) of root
// would fill the others. Without CAP_SETPCAP the call is refused, and there is nothing in
// the other sets that exec(2) could use under no_new_privs.
func (s Caps) dropBounding() error {
	for c := uint(0); c < 64; c++ {
		if s.kept()>>c&1 != 0 {
			continue
		}
		switch err := unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(c), 0, 0, 0); err {
		case nil:
		case unix.EINVAL, unix.EPERM:
			return nil
		default:
			return fmt.Errorf("capability bounding set: %w", err)
		}
	}
	return nil
}

// drop removes capabilities from the thread's own sets.
func (s Caps) drop() error {
	_ = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData
	if s != NoCaps {
		if err := unix.Capget(&header, &sets[0]); err != nil {
			return fmt.Errorf("capabilities: %w", err)
		}
		for i := range sets {
			kept := uint32(s.kept() >> (32 * i))
			sets[i].Effective &= kept
			sets[i].Permitted &= kept
			sets[i].Inheritable = 0
		}
	}
	// The wrapper in x/sys passes one of the two structures that version 3 has.
	if _, _, errno := unix.RawSyscall(unix.SYS_CAPSET, uintptr(unsafe.Pointer(&header)),
		uintptr(unsafe.Pointer(&sets[0])), 0); errno != 0 {
		return fmt.Errorf("capabilities: %w", errno)
	}
	return nil
}
