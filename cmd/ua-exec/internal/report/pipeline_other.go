//go:build !linux

package report

import "os"

// Without files in memory no prelude is safe from commands, so that the
// statuses of a pipeline's parts stay unknown here, and a command longer than one
// argument may be is refused.

// NewSealed returns none.
func NewSealed(string) *os.File { return nil }

// NewPipeline returns none.
func NewPipeline(*os.File, string) *Pipeline { return nil }
