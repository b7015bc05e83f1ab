package main

import (
	"errors"
	"io"
	"os/signal"
	"path/filepath"
	"syscall"

	"golang.org/x/term"

	"ua/internal/common/event"
	"ua/internal/common/journal"
	"ua/internal/common/prog"
)

// An appender takes events from stdin into a journal.
type appender struct {
	env    *prog.Env
	w      *writer
	dir    string   // the journal's
	audit  *auditor // nil in a sandbox
	sync   *syncer
	out    *event.Writer // nil when nothing is passed on
	deltas bool
	safe   bool   // media are on the disk before their line is written
	notice bool   // the journal does not yet say that the audit log is out of reach
	last   string // the type of the last event that was kept
}

// appendVerb appends stdin to a journal.
func appendVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	a := &appender{env: env}
	tee := fs.Bool("tee", false, "")
	final := fs.Bool("final", false, "")
	fs.BoolVar(&a.deltas, "deltas", false, "")
	wait := fs.Bool("wait", false, "")
	policy := fs.String("sync", "turn", "")
	retain := fs.Int("retain-days", 0, "")
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	if fs.NArg() != 1 {
		return prog.Errorf(prog.Trouble, "append takes one run or file")
	}
	if *tee {
		a.out = event.NewWriter(env.Stdout)
	}
	signal.Ignore(syscall.SIGPIPE) // a journal outlives its readers
	if !term.IsTerminal(int(env.Stdin.Fd())) {
		// Ctrl-C is for the run: its end is the end of input.
		signal.Ignore(syscall.SIGINT, syscall.SIGHUP)
	}
	in, err := newInput(env.Stdin)
	if err != nil {
		return err
	}
	path, err := locate(fs.Arg(0))
	if err != nil {
		return err
	}
	if err := a.open(path, *wait, *policy, *retain); err != nil {
		return err
	}
	err = a.run(event.NewReaderSize(in, inputMax))
	if err == nil && *final {
		err = a.conclude()
	}
	return a.close(err)
}

// conclude ends the run of which events came but no summary: who was to write it
// is dead.
func (a *appender) conclude() error {
	if a.last == "" || a.last == "summary" {
		return nil
	}
	t, began, err := fold(a.w.f, a.w.size)
	if err != nil {
		return err
	}
	t.Fail("ua", "the run was killed: its events end without a summary", true)
	return a.take(t.Summary(128+int(syscall.SIGKILL), since(began)))
}

// open opens the journal at path and the audit log.
func (a *appender) open(path string, wait bool, policy string, retain int) (err error) {
	if a.w, err = openWriter(path, wait); err != nil {
		return err
	}
	a.dir = filepath.Dir(path)
	if a.sync, err = newSyncer(policy, a.w.f); err != nil {
		return err
	}
	a.safe = policy != "none"
	if a.audit, a.notice, err = newAuditor(path, retain); err == nil && a.w.size > 0 {
		err = a.tellUnheard()
	}
	return err
}

// tellUnheard says once in the journal of a subagent that its parent is to bring
// its events to the audit log: behind the first line, which stays the first.
func (a *appender) tellUnheard() error {
	if !a.notice {
		return nil
	}
	a.notice = false
	return a.w.write(event.New("audit").Str("message", "the audit log is out of reach of this sandbox: the parent run adds what is done here").Line())
}

// run appends line by line to the end of input.
func (a *appender) run(r *event.Reader) error {
	f := &feed{r: r}
	defer f.close()
	var bad *event.Malformed
	for {
		if !r.Ready() {
			a.audit.waited()
		}
		line, seal, err := f.Next()
		switch {
		case err == io.EOF:
			return nil
		case errors.As(err, &bad):
			line = event.New("error").Str("stage", "ua-journal").Str("message", bad.Error()).
				Bool("retryable", false).Str("line", string(line[:min(len(line), 1000)])).Line()
		case err != nil:
			return err
		}
		if err := a.keep(line, seal); err != nil {
			return a.fail(err)
		}
	}
}

// take keeps one event and passes it on.
func (a *appender) take(line []byte) error { return a.keep(line, nil) }

// keep does it with the line's seal, if that has begun.
func (a *appender) keep(line []byte, seal *journal.Sealer) error {
	typ := event.Type(line)
	if typ == "delta" && !a.deltas {
		return a.pass(line)
	}
	kept, err := journal.Detach(line, a.dir, a.safe)
	if err != nil {
		return err
	}
	if seal == nil || &kept[0] != &line[0] {
		seal = &a.w.seal
		seal.Begin(kept)
	}
	if err := a.w.writeSealed(seal); err != nil {
		return err
	}
	if err := a.tellUnheard(); err != nil {
		return err
	}
	a.last = typ
	if err := a.audit.add(line); err != nil {
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
	if a.out == nil {
		return nil
	}
	err := a.out.Write(line)
	if errors.Is(err, syscall.EPIPE) {
		a.out = nil
		return nil
	}
	return err
}

// close ends the journal, behind an error or none.
func (a *appender) close(err error) error {
	a.audit.close()
	return errors.Join(err, a.sync.close(), a.w.close())
}

// fail tells the reader of stdout why no more is kept.
func (a *appender) fail(err error) error {
	again := errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
	a.pass(event.Error("ua-journal", err.Error(), again))
	return prog.Errorf(prog.Trouble, "%w", err)
}
