//go:build !linux

package descriptor

// The system calls of now.
const readNow, writeNow = 0, 0

// now leaves all to package os.
func now(func(func(uintptr) bool) error, uintptr, []byte) int { return 0 }
