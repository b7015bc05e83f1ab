//go:build !linux

package main

import "ua/internal/common/prog"

func needsGuard() bool { return false }

func guard(*prog.Env) error { return nil }
