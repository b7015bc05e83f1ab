//go:build !linux

package integration

// Waits returns true: whether the shell's hook waits is not known here.
func (in *Integration) Waits() bool { return true }

// Meet takes the process for the shell's.
func (in *Integration) Meet(pid int) { in.PID = pid }
