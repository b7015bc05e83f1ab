//go:build !linux

package ring

import (
	"os"
	"syscall"
)

// unread reports that nothing waits to be read: it is not known here.
func unread(*os.File) bool { return false }

// dup duplicates the descriptor from onto to.
func dup(from, to int) error { return syscall.Dup2(from, to) }
