//go:build !linux

package main

import "syscall"

// ownGroup puts a program into its own process group.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
