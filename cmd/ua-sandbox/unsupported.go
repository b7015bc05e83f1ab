//go:build !linux && !darwin

package main

import "ua/internal/common/prog"

func stage(string) func(*prog.Env) error { return nil }

// runConfined has no way to confine on this system.
func runConfined(*prog.Env, *options, []string) error {
	return prog.Errorf(prog.NotConfined, "no sandbox for this system: Linux and macOS have one")
}

func lastLooks(*prog.Env, *options) error { return nil }

func probe(env *prog.Env, _ bool) error { return runConfined(env, nil, nil) }
