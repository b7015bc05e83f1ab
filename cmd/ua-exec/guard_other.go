//go:build !linux

package main

import "ua/internal/common/prog"

const guardedBy = "UA_EXEC_GUARD"

func needsGuard() bool { return false }

func guard(*prog.Env) error { return nil }
