//go:build !linux

package terminal

// Awaited reports whether a program waits for a line, where the system tells that.
func Awaited(int) bool { return false }
