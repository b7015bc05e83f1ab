#include "textflag.h"

// entryPoint is where the program begins (stdout_linux.go). It asks the kernel whether
// descriptor 1 is open and which signals are ignored (signals.go), then goes to where the
// runtime begins, with the stack as it was.
TEXT ·entryPoint(SB),NOSPLIT|NOFRAME,$0
	MOVD $25, R8 // fcntl
	MOVD $1, R0
	MOVD $1, R1 // F_GETFD
	SVC
	MOVD R0, ·stdoutAtEntry(SB)

	SUB  $160, RSP // room for a struct sigaction
	MOVD $1, R9    // the signal
	MOVD $0, R10   // a bit for each that is ignored
	MOVD $1, R11
next:
	MOVD $134, R8 // rt_sigaction
	MOVD R9, R0
	MOVD $0, R1
	MOVD RSP, R2
	MOVD $8, R3
	SVC
	CBNZ R0, other
	MOVD (RSP), R0 // the handler: SIG_IGN is 1
	CMP  $1, R0
	BNE  other
	LSL  R9, R11, R0
	ORR  R0, R10, R10
other:
	ADD  $1, R9
	CMP  $32, R9
	BLT  next
	MOVD R10, ·ignoredAtEntry(SB)
	ADD  $160, RSP
	B    _rt0_arm64_linux(SB)
