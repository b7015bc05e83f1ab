package main

import (
	"errors"
	"io"
	"os/signal"
	"path/filepath"
	"syscall"

	"golang.org/x/term"

	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// An appender takes events from stdin into a journal.
type appender struct {
	env    *prog.Env
	w      *writer
	dir    string   // the journal's
	audit  *auditor // nil in a sandbox
	sync   *syncer
	out    io.Writer // nil when nothing is passed on
	passed []byte    // what out gets
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
		a.out = env.Out()
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
	f := flow{a: a, src: source{in: in}}
	if err = f.run(); err == nil && *final {
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

// take keeps one event and passes it on.
func (a *appender) take(line []byte) error {
	p := make([]piece, 1)
	p[0].prepare(a, line, 0)
	return a.keep(p)
}

// keep writes events into the journal and to the audit log, and then passes them
// on. When not all of them can be kept it does so with the first ones.
func (a *appender) keep(pieces []piece) error {
	for a.notice && len(pieces) > 1 {
		if err := a.keep(pieces[:1]); err != nil {
			return err
		}
		pieces = pieces[1:]
	}
	size := a.w.size
	n, err := a.write(pieces)
	if m, failed := a.audit.add(pieces[:n]); failed != nil {
		n, err = m, failed
	}
	if a.w.size > size {
		if err := errors.Join(a.tellUnheard(), a.sync.before()); err != nil {
			return err
		}
	}
	if err := a.pass(pieces[:n]); err != nil {
		return err
	}
	for i := range pieces[:n] {
		if p := &pieces[i]; p.kept {
			a.last = p.typ
			if err := a.sync.after(p.typ); err != nil {
				return err
			}
		}
	}
	return err
}

// write puts events into the journal, and returns how many are where they
// belong.
func (a *appender) write(pieces []piece) (int, error) {
	var media error
	for i := range pieces {
		p := &pieces[i]
		if p.err != nil {
			pieces, media = pieces[:i], p.err
			break
		}
		if p.kept {
			a.w.add(&p.seal)
		}
	}
	lines, err := a.w.flush()
	if err == nil {
		return len(pieces), media
	}
	for i := range pieces {
		if pieces[i].kept {
			if lines--; lines < 0 {
				return i, err
			}
		}
	}
	return len(pieces), err
}

// pass writes events to stdout when asked to. A reader that is gone does not end
// the journal.
func (a *appender) pass(pieces []piece) error {
	if a.out == nil || len(pieces) == 0 {
		return nil
	}
	a.passed = small(a.passed)
	for i := range pieces {
		a.passed = append(append(a.passed, pieces[i].line...), '\n')
	}
	_, err := a.out.Write(a.passed)
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
	if err == nil {
		return nil
	}
	again := errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
	a.pass([]piece{{line: event.Error("ua-journal", err.Error(), again)}})
	return prog.Errorf(prog.Trouble, "%w", err)
}
