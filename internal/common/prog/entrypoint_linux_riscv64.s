#include "textflag.h"

// entryPoint is where the program begins (stdout_linux.go). It asks the kernel whether
// descriptor 1 is open and which signals are ignored (signals.go), then goes to where the
// runtime begins, with the stack as it was.
TEXT ·entryPoint(SB),NOSPLIT|NOFRAME,$0
	MOV $25, A7 // fcntl
	MOV $1, A0
	MOV $1, A1 // F_GETFD
	ECALL
	MOV A0, ·stdoutAtEntry(SB)

	ADD $-160, X2 // room for a struct sigaction
	MOV $1, S2    // the signal
	MOV $0, S3    // a bit for each that is ignored
	MOV $1, S4
next:
	MOV  $134, A7 // rt_sigaction
	MOV  S2, A0
	MOV  $0, A1
	MOV  X2, A2
	MOV  $8, A3
	ECALL
	BNE  A0, ZERO, other
	MOV  0(X2), A0 // the handler: SIG_IGN is 1
	BNE  A0, S4, other
	SLL  S2, S4, A0
	OR   A0, S3
other:
	ADD  $1, S2
	MOV  $32, A0
	BLT  S2, A0, next
	MOV  S3, ·ignoredAtEntry(SB)
	ADD  $160, X2
	JMP  _rt0_riscv64_linux(SB)
