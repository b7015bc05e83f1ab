package main

import (
	"ua/cmd/ua/internal/ring"
	"ua/internal/common/prog"
)

// farVerb runs an agent here for a ua elsewhere that was given --via.
func farVerb(env *prog.Env, args []string) error {
	if err := env.Parse(prog.Flags(), args, helpOf("far")); err != nil {
		return err
	}
	return ring.Far(env, help)
}
