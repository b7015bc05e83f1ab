package main

import (
	"os/signal"
	"syscall"

	"golang.org/x/term"

	"ua/cmd/ua-journal/internal/appender"
	"ua/cmd/ua-journal/internal/store"
	"ua/internal/common/prog"
)

// appendVerb appends the events on stdin to a journal.
func appendVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	var o appender.Options
	tee := fs.Bool("tee", false, "")
	final := fs.Bool("final", false, "")
	fs.BoolVar(&o.Deltas, "deltas", false, "")
	fs.BoolVar(&o.Wait, "wait", false, "")
	fs.StringVar(&o.Sync, "sync", store.SyncTurns, "")
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	if fs.NArg() != 1 {
		return prog.Errorf(prog.Trouble, "append takes one run or file")
	}
	if *tee {
		o.Out = env.Out()
	}
	signal.Ignore(syscall.SIGPIPE) // a journal outlives its readers
	if !term.IsTerminal(int(env.Stdin.Fd())) {
		// Ctrl-C is meant for the run; the writer ends when its input does.
		signal.Ignore(syscall.SIGINT, syscall.SIGHUP)
	}
	in, err := appender.NewInput(env.Stdin)
	if err != nil {
		return err
	}
	path, err := locate(fs.Arg(0))
	if err != nil {
		return err
	}
	a, err := appender.Open(path, o)
	if err != nil {
		return err
	}
	if err = a.From(in); err == nil && *final {
		err = a.Conclude()
	}
	return a.Close(err)
}
