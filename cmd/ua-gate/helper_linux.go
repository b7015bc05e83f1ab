package main

import "syscall"

// ownGroup starts a program in a process group of its own, which ends with the
// gate even if that is killed.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
