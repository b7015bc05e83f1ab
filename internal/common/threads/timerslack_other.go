//go:build !linux

package threads

// CoarseTimers does nothing here.
func CoarseTimers() (undo func()) { return func() {} }

// DefaultTimers does nothing here.
func DefaultTimers() (undo func()) { return func() {} }
