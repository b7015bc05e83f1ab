//go:build !linux

package main

import "syscall"

// ownGroup starts a program in a process group of its own. Only Linux can end
// it when the gate is killed.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
