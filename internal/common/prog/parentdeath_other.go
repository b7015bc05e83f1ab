//go:build !linux

package prog

import "syscall"

// DieWithParent does nothing: only Linux ends a program when we are killed.
func DieWithParent(a *syscall.SysProcAttr, _ syscall.Signal) *syscall.SysProcAttr { return a }
