package main

import (
	"io"
	"os"

	"ua/internal/common/prog"
)

// catVerb prints journals as they were written.
func catVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	paths, err := locateAll(fs.Args())
	if err != nil {
		return err
	}
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		_, err = io.Copy(env.Out(), f)
		f.Close()
		if err != nil {
			return err
		}
	}
	return nil
}
