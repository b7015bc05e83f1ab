//go:build !linux

package agentloop

import (
	"os"
	"syscall"
)

// hasUnread reports that nothing waits to be read: it is not known here.
func hasUnread(*os.File) bool { return false }

// duplicate copies the descriptor from onto to.
func duplicate(from, to int) error { return syscall.Dup2(from, to) }
