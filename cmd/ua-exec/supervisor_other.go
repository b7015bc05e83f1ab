//go:build !linux

package main

import (
	"ua/cmd/ua-exec/internal/process"
	"ua/internal/common/prog"
	"ua/internal/common/verdict"
)

// supervisedBy is the variable of the supervisor, which only Linux has.
const supervisedBy = "UA_EXEC_SUPERVISOR"

// needsSupervisor reports that none is needed.
func needsSupervisor() bool { return false }

// supervise does nothing.
func supervise(*prog.Env) error { return nil }

// canNarrow reports that a command cannot get narrower locks here: only Linux has
// Landlock.
func canNarrow() bool { return false }

// narrow returns no lock.
func narrow(verdict.Profile, []string, string) (process.Lock, error) { return process.Lock{}, nil }
