//go:build !linux

package statuschannel

import "os"

// Without files in memory, no prelude is safe from commands. So the statuses of a
// pipeline's parts stay unknown here, and a command longer than one argument is refused.

// NewSealed returns nil.
func NewSealed(string) *os.File { return nil }
