//go:build !linux

package procfs

// MayStart reports that the user may: nothing tells of a limit here.
func MayStart(int) (most int, ok bool) { return 0, true }

// Running reports nothing: nothing tells of it here.
func Running(int) int { return 0 }
