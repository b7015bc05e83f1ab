//go:build !linux

package main

import "ua/internal/common/prog"

const supervisedBy = "UA_EXEC_GUARD"

func needsSupervisor() bool { return false }

func supervise(*prog.Env) error { return nil }
