package syscalls

import "golang.org/x/sys/unix"

// auditArch is the architecture whose calls the filter knows (seccomp(2), seccomp_data).
const auditArch = unix.AUDIT_ARCH_AARCH64

// opens are the calls that open a file, and the index of the argument with the flags.
var opens = map[uint32]int{unix.SYS_OPENAT: 2}

// writes are the calls that make, change or remove what they name. Of each name they have the
// index of the argument with the descriptor of the folder in which it begins, -1 for the
// working folder, and of the one with its address. Only calls that rename have two.
var writes = map[uint32][][2]int{
	unix.SYS_OPENAT: {{0, 1}}, unix.SYS_OPENAT2: {{0, 1}}, unix.SYS_TRUNCATE: {{-1, 0}},
	unix.SYS_MKDIRAT: {{0, 1}}, unix.SYS_MKNODAT: {{0, 1}}, unix.SYS_UNLINKAT: {{0, 1}},
	unix.SYS_SYMLINKAT: {{1, 2}}, unix.SYS_LINKAT: {{2, 3}}, unix.SYS_RENAMEAT: {{0, 1}, {2, 3}},
	unix.SYS_RENAMEAT2: {{0, 1}, {2, 3}},
}
