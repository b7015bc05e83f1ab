#include "textflag.h"

// entryPoint is where the program begins (stdout_linux.go). It asks the kernel whether
// descriptor 1 is open and which signals are ignored (signals.go), then goes to where the
// runtime begins, with the stack as it was.
TEXT ·entryPoint(SB),NOSPLIT|NOFRAME,$0
	MOVQ $72, AX // fcntl
	MOVQ $1, DI
	MOVQ $1, SI // F_GETFD
	SYSCALL
	MOVQ AX, ·stdoutAtEntry(SB)

	SUBQ $160, SP // room for a struct sigaction
	MOVQ $1, R12  // the signal
	MOVQ $0, R13  // a bit for each that is ignored
next:
	MOVQ $13, AX // rt_sigaction
	MOVQ R12, DI
	MOVQ $0, SI
	MOVQ SP, DX
	MOVQ $8, R10
	SYSCALL
	TESTQ AX, AX
	JNE  other
	MOVQ (SP), AX // the handler: SIG_IGN is 1
	CMPQ AX, $1
	JNE  other
	MOVQ R12, CX
	SHLQ CX, AX
	ORQ  AX, R13
other:
	ADDQ $1, R12
	CMPQ R12, $32
	JLT  next
	MOVQ R13, ·ignoredAtEntry(SB)
	ADDQ $160, SP
	JMP  _rt0_amd64_linux(SB)
