//go:build !linux

package main

import (
	"os"
	"syscall"
)

// Without the kernel's help a stage ends at the end of its input.
func dieWithParent(a *syscall.SysProcAttr) *syscall.SysProcAttr { return a }

func adopt()           {}
func endOrphans()      {}
func killChildren(int) {}

func unread(*os.File) bool { return false }

func stoppedUnder(int, bool) []int { return nil }
