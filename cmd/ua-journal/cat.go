package main

import (
	"io"
	"slices"

	"ua/internal/common/prog"
	"ua/internal/common/safefile"
)

// catVerb prints journals as they were written. A command may have put anything into a
// run's folder, so only a file that the user names itself may be something else, such as
// a pipe.
func catVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	if slices.Equal(fs.Args(), []string{auditLog}) {
		return eachRecord(env, func(line []byte) error {
			_, err := env.Out().Write(append(line, '\n'))
			return err
		})
	}
	paths, err := locateAll(fs.Args())
	if err != nil {
		return err
	}
	for _, path := range paths {
		open := safefile.Open
		if slices.Contains(fs.Args(), path) {
			open = safefile.Named
		}
		f, err := open(path)
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
