//go:build !linux

package runprocesses

import "syscall"

// Adopt does nothing: without the kernel's help orphans are not found.
func Adopt() {}

// EndOrphans does nothing.
func EndOrphans([]int) {}

// KillChildren does nothing.
func KillChildren(int, []int) {}

// Members are a single process: without /proc, nothing tells what is below it. Its stages
// end when their input does.
type Members int

// Of returns the process.
func Of(pid int) Members { return Members(pid) }

// Kill kills the process.
func (f Members) Kill() {
	if f > 0 {
		syscall.Kill(int(f), syscall.SIGKILL)
	}
}
