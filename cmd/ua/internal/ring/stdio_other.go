//go:build !linux

package ring

import (
	"os"
	"syscall"
)

func unread(*os.File) bool { return false }

func dup(from, to int) error { return syscall.Dup2(from, to) }
