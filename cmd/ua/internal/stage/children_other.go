//go:build !linux

package stage

import "syscall"

// Without the kernel's help a stage ends at the end of its input.
func withHandle(*syscall.SysProcAttr, *int) {}

// Adopt does nothing: without the kernel's help orphans are not found.
func Adopt() {}

// EndOrphans ends none.
func EndOrphans([]int) {}

// KillChildren kills none.
func KillChildren(int, []int) {}

func killBelow(int) {}

func stoppedUnder(int, bool) []int { return nil }

// A Family is a process alone: without /proc nothing says what is below it. Its
// stages end when their input does.
type Family int

// FamilyOf returns the process.
func FamilyOf(pid int) Family { return Family(pid) }

// Kill kills it.
func (f Family) Kill() {
	if f > 0 {
		syscall.Kill(int(f), syscall.SIGKILL)
	}
}
