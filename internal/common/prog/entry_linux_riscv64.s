#include "textflag.h"

// entry is where the program begins (stdout_linux.go). It asks the kernel whether
// descriptor 1 is open, then goes to where the runtime begins, with the stack as it was.
TEXT ·entry(SB),NOSPLIT|NOFRAME,$0
	MOV $25, A7 // fcntl
	MOV $1, A0
	MOV $1, A1 // F_GETFD
	ECALL
	MOV A0, ·stdoutAtEntry(SB)
	JMP _rt0_riscv64_linux(SB)
