package main

import "syscall"

// ownGroup puts a program into its own process group and has the kernel end it
// when the thread that started it dies, be it by SIGKILL.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
