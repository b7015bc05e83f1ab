//go:build !linux

package threads

// FewPids returns true, since it is not known here whether commands may have so few
// processes that they can use them up at once.
func FewPids() bool { return true }

// CoarseTimers does nothing here.
func CoarseTimers() (undo func()) { return func() {} }

// DefaultTimers does nothing here.
func DefaultTimers() {}

// running returns 0: the number of threads is not known here.
func running() int { return 0 }
