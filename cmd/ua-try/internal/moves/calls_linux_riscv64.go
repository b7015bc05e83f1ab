package moves

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_RISCV64

// renames are the system calls that rename: this architecture has one.
var renames = []uint32{unix.SYS_RENAMEAT2}

// arguments returns the descriptor and the name of what is renamed, those of its new
// name, and the flags.
func arguments(_ int32, a [6]uint64) (fd int, name uint64, newFd int, newName uint64,
	flags uint64) {
	return int(int32(a[0])), a[1], int(int32(a[2])), a[3], a[4]
}

// opens are the calls that open by flags, and which argument has them.
var opens = map[uint32]int{unix.SYS_OPENAT: 2}

// writes are the calls that make, change or remove what they name, and the arguments
// that have the folder's descriptor, or -1, and the name.
var writes = map[uint32][]place{
	unix.SYS_OPENAT: {{0, 1}}, unix.SYS_OPENAT2: {{0, 1}}, unix.SYS_TRUNCATE: {{-1, 0}},
	unix.SYS_MKDIRAT: {{0, 1}}, unix.SYS_MKNODAT: {{0, 1}}, unix.SYS_UNLINKAT: {{0, 1}},
	unix.SYS_SYMLINKAT: {{1, 2}}, unix.SYS_LINKAT: {{2, 3}},
	unix.SYS_RENAMEAT2: {{0, 1}, {2, 3}},
}
