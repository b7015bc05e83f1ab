//go:build !linux

package shell

import (
	"ua/cmd/ua-exec/internal/process"
	"ua/internal/common/verdict"
)

// canNarrow reports that a command cannot get narrower locks here: only Linux has
// Landlock.
func canNarrow() bool { return false }

// narrow returns no lock.
func narrow(verdict.Profile, []string, string) (process.Lock, error) { return process.Lock{}, nil }
