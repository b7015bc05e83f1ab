//go:build !linux

package stage

import "syscall"

// withHandle does nothing. Without the kernel's help, a stage ends at the end of its
// input.
func withHandle(*syscall.SysProcAttr, *int) {}

// Adopt does nothing: without the kernel's help orphans are not found.
func Adopt() {}

// EndOrphans does nothing.
func EndOrphans([]int) {}

// KillChildren does nothing.
func KillChildren(int, []int) {}

// killBelow does nothing.
func killBelow(int) {}

// stoppedUnder returns no processes.
func stoppedUnder(int, bool) []int { return nil }

// A Family is a single process: without /proc, nothing tells what is below it. Its stages
// end when their input does.
type Family int

// FamilyOf returns the process.
func FamilyOf(pid int) Family { return Family(pid) }

// Kill kills the process.
func (f Family) Kill() {
	if f > 0 {
		syscall.Kill(int(f), syscall.SIGKILL)
	}
}
