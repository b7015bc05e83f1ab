package ring

import "syscall"

// dieWithParent has the kernel end a program when we die, even by SIGKILL.
func dieWithParent(a *syscall.SysProcAttr) *syscall.SysProcAttr {
	a.Pdeathsig = syscall.SIGTERM
	return a
}
