//go:build !linux

package threads

// FewPids returns true, since it is not known here whether commands may have so few
// processes that they can use them up at once.
func FewPids() bool { return true }
