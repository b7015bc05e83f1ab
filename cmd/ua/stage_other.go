//go:build !linux

package main

import (
	"os"
	"syscall"
)

// Without the kernel's help a stage ends at the end of its input.
func dieWithParent(a *syscall.SysProcAttr) *syscall.SysProcAttr { return a }

func withHandle(*syscall.SysProcAttr, *int) {}

func adopt()                  {}
func endOrphans([]int)        {}
func killChildren(int, []int) {}
func killBelow(int)           {}

func unread(*os.File) bool { return false }

func stoppedUnder(int, bool) []int { return nil }

// A family is a process alone: without /proc nothing says what is below it. Its
// stages end when their input does.
type family int

func familyOf(pid int) family { return family(pid) }

func (f family) kill() {
	if f > 0 {
		syscall.Kill(int(f), syscall.SIGKILL)
	}
}

func dup(from, to int) error { return syscall.Dup2(from, to) }

func limit(int, []bound) {} // ua-sandbox sets those that the user asks for
