//go:build !linux

package supervisor

import (
	"os"

	"ua/internal/common/prog"
)

// Needed reports that no supervisor is needed: only Linux has what one is made of.
func Needed() bool { return false }

// Run does nothing.
func Run(*prog.Env, ...os.Signal) error { return nil }
