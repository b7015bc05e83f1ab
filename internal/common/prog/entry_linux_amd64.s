#include "textflag.h"

// entry is where the program begins (stdout_linux.go). It asks the kernel whether
// descriptor 1 is open, then goes to where the runtime begins, with the stack as it was.
TEXT ·entry(SB),NOSPLIT|NOFRAME,$0
	MOVQ $72, AX // fcntl
	MOVQ $1, DI
	MOVQ $1, SI // F_GETFD
	SYSCALL
	MOVQ AX, ·stdoutAtEntry(SB)
	JMP  _rt0_amd64_linux(SB)
