#include "textflag.h"

// entry is where the program begins (stdout_linux.go). It asks the kernel whether
// descriptor 1 is open, then goes to where the runtime begins, with the stack as it was.
TEXT ·entry(SB),NOSPLIT|NOFRAME,$0
	MOVD $25, R8 // fcntl
	MOVD $1, R0
	MOVD $1, R1 // F_GETFD
	SVC
	MOVD R0, ·stdoutAtEntry(SB)
	B    _rt0_arm64_linux(SB)
