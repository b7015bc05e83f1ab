//go:build !linux

package ring

import "syscall"

func dieWithParent(a *syscall.SysProcAttr) *syscall.SysProcAttr { return a }
