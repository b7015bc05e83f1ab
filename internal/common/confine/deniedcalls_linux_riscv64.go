package confine

import "golang.org/x/sys/unix"

const (
	auditArch  = unix.AUDIT_ARCH_RISCV64
	foreignBit = 0 // no second set of call numbers
)

var nativeSurface, nativeMeta []uint32

var nativeModes []modeCall
