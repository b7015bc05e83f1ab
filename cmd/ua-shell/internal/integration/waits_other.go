//go:build !linux

package integration

// Waits reports whether the shell's hook waits for an answer, which is not known here.
func (in *Integration) Waits() bool { return true }
