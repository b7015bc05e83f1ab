//go:build !linux

package threads

// FewPids reports whether commands may have so few processes that they can use them
// up at once. That is not known here.
func FewPids() bool { return true }
