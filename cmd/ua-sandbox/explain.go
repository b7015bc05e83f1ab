package main

import "ua/internal/common/prog"

func probe(env *prog.Env, json bool) error { return usage("--probe: not on this system") }
func explain(env *prog.Env, o *options) error {
	return usage("--explain: not on this system")
}
