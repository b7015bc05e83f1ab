//go:build !linux

package pipe

// Pending returns 0: how much is in the pipe is not known here.
func Pending(int) int { return 0 }

// Widen leaves the pipe as it is.
func Widen(int) {}
