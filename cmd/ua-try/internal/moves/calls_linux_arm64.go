package moves

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

// renames are the system calls that rename.
var renames = []uint32{unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2}

// arguments returns the descriptor and the name of what is renamed, those of its new
// name, and the flags.
func arguments(nr int32, a [6]uint64) (fd int, name uint64, newFd int, newName uint64,
	flags uint64) {
	if nr == unix.SYS_RENAMEAT {
		return int(int32(a[0])), a[1], int(int32(a[2])), a[3], 0
	}
	return int(int32(a[0])), a[1], int(int32(a[2])), a[3], a[4]
}
