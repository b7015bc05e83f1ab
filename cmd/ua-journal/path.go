package main

import "ua/internal/common/prog"

// pathVerb prints the path of a run's journal.
func pathVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	name, err := operand(fs.Args())
	if err != nil {
		return err
	}
	path, err := locate(name)
	if err == nil {
		env.Outf("%s\n", path)
	}
	return err
}
