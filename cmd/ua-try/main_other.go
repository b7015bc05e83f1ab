//go:build !linux

package main

import "ua/internal/common/prog"

func main() { prog.Main("ua-try", run) }

// run refuses: the program needs Linux.
func run(env *prog.Env) error {
	if err := env.Parse(prog.Flags(), env.Args, help); err != nil {
		return err
	}
	return prog.Errorf(prog.NotConfined, "not run: only Linux has overlayfs")
}
