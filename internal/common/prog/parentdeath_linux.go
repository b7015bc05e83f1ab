package prog

import "syscall"

// DieWithParent has the kernel send sig to the program when the thread that starts it
// ends (prctl(2), PR_SET_PDEATHSIG). This works even if we are killed.
func DieWithParent(a *syscall.SysProcAttr, sig syscall.Signal) *syscall.SysProcAttr {
	a.Pdeathsig = sig
	return a
}
