//go:build !linux

package main

import "ua/internal/common/prog"

// supervisedBy is the variable of the supervisor, which only Linux has.
const supervisedBy = "UA_EXEC_SUPERVISOR"

// needsSupervisor reports that none is needed.
func needsSupervisor() bool { return false }

// supervise does nothing.
func supervise(*prog.Env) error { return nil }
