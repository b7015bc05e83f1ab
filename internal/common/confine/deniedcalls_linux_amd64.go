package confine

import "golang.org/x/sys/unix"

const (
	auditArch  = unix.AUDIT_ARCH_X86_64
	foreignBit = 0x40000000 // of x32's call numbers
)

// nativeSurface are the surfaceCalls that only this architecture has.
var nativeSurface = []uint32{unix.SYS_IOPL, unix.SYS_IOPERM, unix.SYS_MODIFY_LDT, unix.SYS_USELIB,
	unix.SYS__SYSCTL, unix.SYS_CREATE_MODULE,
	unix.SYS_GET_KERNEL_SYMS, unix.SYS_QUERY_MODULE, unix.SYS_USTAT, unix.SYS_SYSFS}

// nativeMeta are the metaCalls that only this architecture has.
var nativeMeta = []uint32{unix.SYS_CHMOD, unix.SYS_CHOWN, unix.SYS_LCHOWN, unix.SYS_UTIME,
	unix.SYS_UTIMES, unix.SYS_FUTIMESAT}

// nativeModes are the modeCalls that only this architecture has.
var nativeModes = []modeCall{{unix.SYS_OPEN, 2, 1}, {unix.SYS_CHMOD, 1, -1},
	{unix.SYS_CREAT, 1, -1},
	{unix.SYS_MKNOD, 1, -1}}
