package main

import (
	"os"

	"ua/cmd/ua-journal/internal/appender"
	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/run"
)

// newVerb creates the folder of a run and prints the run's ID or, with --path, the path
// of its journal.
func newVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	path := fs.Bool("path", false, "")
	task := fs.String("task", "", "")
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	if fs.NArg() > 0 {
		return prog.Errorf(prog.Trouble, "%q: new takes no operand", fs.Arg(0))
	}
	r, err := run.New(run.Parent())
	if err != nil {
		return err
	}
	if *task != "" {
		if err := begin(r, *task); err != nil {
			return err
		}
	}
	if *path {
		env.Outf("%s\n", r.Journal())
	} else {
		env.Outf("%s\n", r.ID)
	}
	return nil
}

// begin writes the events with which a conversation starts.
func begin(r run.Run, task string) error {
	cwd, _ := os.Getwd()
	e := event.New("run").Str("id", r.ID).Str("task", task).Str("cwd", cwd).Int("pid",
		int64(os.Getppid()))
	return appender.Lines(r.Journal(),
		e.Str("version", prog.Version()).Line(),
		event.System(),
		event.New("instruction").Str("text", task).Line())
}
