package main

import (
	"bufio"
	"os"

	"ua/internal/common/journal"
	"ua/internal/common/prog"
)

// readVerb prints the conversation that a model is asked with.
func readVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	budget := fs.Int("budget", 60000, "")
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	j, size, err := openRun(fs.Args())
	if err != nil {
		return err
	}
	defer j.Close()
	lines, err := journal.Conversation(j, size, *budget, func(err error) { env.Warnf("%s: %v", j.Name(), err) })
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(env.Stdout, 64<<10)
	for _, line := range lines {
		out.Write(line)
		out.WriteByte('\n')
	}
	return out.Flush()
}

// openRun opens the journal that the operands name.
func openRun(args []string) (*os.File, int64, error) {
	name, err := operand(args)
	if err != nil {
		return nil, 0, err
	}
	path, err := locate(name)
	if err != nil {
		return nil, 0, err
	}
	j, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	info, err := j.Stat()
	if err != nil {
		return nil, 0, err
	}
	return j, info.Size(), nil
}
