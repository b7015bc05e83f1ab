//go:build !linux

package procfs

// MayStart reports that the user may start them: no limit is known here.
func MayStart(int) (most int, ok bool) { return 0, true }

// MayStartOf is MayStart for a limit that will be lowered to bound.
func MayStartOf(bound uint64, _ int) (most int, ok bool) { return 0, true }

// Running returns 0: the number is not known here.
func Running(int) int { return 0 }

// FewPids returns true, since it is not known here whether commands may have so few
// processes that they can use them up at once.
func FewPids() bool { return true }
