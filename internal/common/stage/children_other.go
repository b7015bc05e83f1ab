//go:build !linux

package stage

import "syscall"

// withHandle does nothing. Without the kernel's help, a stage ends at the end of its
// input.
func withHandle(*syscall.SysProcAttr, *int) {}

// killBelow does nothing.
func killBelow(int) {}

// stoppedUnder returns no processes.
func stoppedUnder(int, bool) []int { return nil }
