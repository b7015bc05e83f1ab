package main

import (
	"ua/cmd/ua/internal/ring"
	"ua/internal/common/prog"
)

// farVerb is the agent's side of --via.
func farVerb(env *prog.Env, args []string) error {
	if err := env.Parse(prog.Flags(), args, helpOf("far")); err != nil {
		return err
	}
	return ring.Far(env, help)
}
