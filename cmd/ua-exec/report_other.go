//go:build !linux

package main

import "os"

// Without files in memory no prelude is safe from commands, so that the
// statuses of a pipeline's parts stay unknown here, and a command longer than one
// argument may be is refused.

func newSealed(string) *os.File { return nil }

func newReport(*os.File, string) *report { return nil }
