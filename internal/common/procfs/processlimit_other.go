//go:build !linux

package procfs

// Room reports that there is room: nothing tells of it here.
func Room(int) (most int, ok bool) { return 0, true }

// Running reports nothing: nothing tells of it here.
func Running(int) int { return 0 }
