package main

import (
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"

	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// An appender takes events from stdin into a journal.
type appender struct {
	env    *prog.Env
	w      *writer
	sync   *syncer
	tee    bool
	deltas bool
}

// appendVerb appends stdin to a journal.
func appendVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	a := &appender{env: env}
	fs.BoolVar(&a.tee, "tee", false, "")
	fs.BoolVar(&a.deltas, "deltas", false, "")
	wait := fs.Bool("wait", false, "")
	policy := fs.String("sync", "turn", "")
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	if fs.NArg() != 1 {
		return prog.Errorf(prog.Trouble, "append takes one run or file")
	}
	path, err := locate(fs.Arg(0))
	if err != nil {
		return err
	}
	if a.w, err = openWriter(path, *wait); err != nil {
		return err
	}
	defer a.w.close()
	if a.sync, err = newSyncer(*policy, a.w.f); err != nil {
		return err
	}
	// A journal outlives its readers and Ctrl-C: its end is the end of input.
	signal.Ignore(syscall.SIGPIPE, syscall.SIGINT, syscall.SIGHUP)
	err = a.run()
	return errors.Join(err, a.sync.close())
}

// run appends line by line to the end of input.
func (a *appender) run() error {
	r := event.NewReader(a.env.Stdin)
	for {
		line, err := r.Next()
		var bad *event.Malformed
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &bad):
			line = event.New("error").Str("stage", "ua-journal").Str("message", bad.Error()).
				Bool("retryable", false).Str("line", string(line[:min(len(line), 1000)])).Line()
		case err != nil:
			return err
		}
		if err := a.take(line); err != nil {
			return a.fail(err)
		}
	}
}

// take keeps one event and passes it on.
func (a *appender) take(line []byte) error {
	typ := event.Type(line)
	if typ == "delta" && !a.deltas {
		return a.pass(line)
	}
	if err := a.w.write(line); err != nil {
		return err
	}
	if err := a.sync.before(); err != nil {
		return err
	}
	if err := a.pass(line); err != nil {
		return err
	}
	return a.sync.after(typ)
}

// pass writes the line to stdout when asked to. A reader that is gone does not
// end the journal.
func (a *appender) pass(line []byte) error {
	if !a.tee {
		return nil
	}
	err := event.NewWriter(a.env.Stdout).Write(line)
	if errors.Is(err, syscall.EPIPE) {
		a.tee = false
		return nil
	}
	return err
}

// fail tells the reader of stdout why no more is kept.
func (a *appender) fail(err error) error {
	again := errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
	a.pass(event.Error("ua-journal", err.Error(), again))
	return prog.Errorf(prog.Trouble, "%w", err)
}

// ends says whether an event of the type ends a step that must not be lost.
func ends(typ string) bool { return typ == "response" || typ == "tool_result" || typ == "summary" }

// A syncer brings a journal to its disk. By the turn policy it does so beside
// the stream: a line is passed on once it is written, and fsync follows at once.
type syncer struct {
	f    *os.File
	line bool
	want chan struct{}
	done chan error
}

func newSyncer(policy string, f *os.File) (*syncer, error) {
	s := &syncer{f: f, line: policy == "line"}
	switch policy {
	case "none", "line":
	case "turn":
		s.want, s.done = make(chan struct{}, 1), make(chan error, 1)
		go s.run()
	default:
		return nil, prog.Errorf(prog.Trouble, "--sync: unknown policy %q", policy).Hintf("none, turn or line")
	}
	return s, nil
}

// run syncs whenever asked to, until an error or the end.
func (s *syncer) run() {
	defer close(s.done)
	for range s.want {
		if err := s.f.Sync(); err != nil {
			s.done <- err
			return
		}
	}
}

// before syncs what must be on the disk before it is passed on.
func (s *syncer) before() error {
	if s.line {
		return s.f.Sync()
	}
	return nil
}

// after asks for a sync behind an event of the type, and tells of an earlier
// one that failed.
func (s *syncer) after(typ string) error {
	if s.want == nil || !ends(typ) {
		return nil
	}
	select {
	case err := <-s.done:
		return err
	case s.want <- struct{}{}:
	default:
	}
	return nil
}

// close waits for the last sync.
func (s *syncer) close() error {
	if s.want == nil {
		return nil
	}
	close(s.want)
	return <-s.done
}
