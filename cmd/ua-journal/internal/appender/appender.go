// Package appender writes a stream of events to a journal, and passes each event on once it
// is kept.
package appender

import (
	"errors"
	"io"
	"path/filepath"
	"syscall"

	"ua/cmd/ua-journal/internal/store"
	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// Options say how an Appender works. The zero value of Sync is not valid.
type Options struct {
	Out    io.Writer // gets each event once it is kept; nil for none
	Deltas bool      // keep delta events too
	Wait   bool      // for another writer of the journal to end
	Sync   string    // none, turn or line (ua-journal(1), --sync)
}

// An Appender is the only writer of a journal.
type Appender struct {
	w      *store.Writer
	dir    string // the journal's
	sync   *store.Syncer
	out    io.Writer // nil when nothing is passed on
	passed []byte    // what out gets
	deltas bool
	safe   bool   // media are on the disk before their line is written
	last   string // the type of the last event that was kept
	broken event.BrokenLines
}

// Open opens the journal at path, which it creates if there is none.
func Open(path string, o Options) (a *Appender, err error) {
	a = &Appender{dir: filepath.Dir(path), out: o.Out, deltas: o.Deltas, safe: o.Sync != "none"}
	if a.w, err = store.OpenWriter(path, o.Wait); err != nil {
		return nil, err
	}
	if a.sync, err = store.NewSyncer(o.Sync, a.w.File); err != nil {
		return nil, err
	}
	return a, nil
}

// Lines appends events to the journal at path, as ua-journal append does.
func Lines(path string, lines ...[]byte) error {
	a, err := Open(path, Options{Sync: "turn"})
	if err != nil {
		return err
	}
	for _, line := range lines {
		if err = a.Take(line); err != nil {
			break
		}
	}
	return a.Close(err)
}

// From takes in the events of a stream until its end.
func (a *Appender) From(in io.Reader) error {
	var b batch
	for src := (source{in: in}); ; {
		if err := b.read(&src); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		b.prepare(a)
		if err := a.fail(a.keep(a.replaceBroken(b.pieces))); err != nil {
			return err
		}
	}
}

// Take keeps one event and passes it on. The line has no newline.
func (a *Appender) Take(line []byte) error {
	p := make([]piece, 1)
	p[0].prepare(a, line, 0)
	return a.keep(a.replaceBroken(p))
}

// keep writes events to the journal, and then passes them on. If not
// all can be kept, it passes on those before the first that cannot.
func (a *Appender) keep(pieces []piece) error {
	size := a.w.Size
	n, err := a.write(pieces)
	// Something was kept, so the policy "line" syncs before anybody sees it.
	if a.w.Size > size {
		if err := a.sync.Before(); err != nil {
			return err
		}
	}
	if err := a.pass(pieces[:n]); err != nil {
		return err
	}
	for i := range pieces[:n] {
		if p := &pieces[i]; p.kept {
			a.last = p.typ
			if err := a.sync.After(p.typ); err != nil {
				return err
			}
		}
	}
	return err
}

// write writes events to the journal, and returns how many are where they belong.
func (a *Appender) write(pieces []piece) (int, error) {
	var media error
	for i := range pieces {
		p := &pieces[i]
		if p.err != nil {
			pieces, media = pieces[:i], p.err
			break
		}
		if p.kept {
			a.w.Add(&p.seal)
		}
	}
	// lines counts those in the journal, so the pieces that are not kept are passed over.
	lines, err := a.w.Flush()
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

// pass writes events to the output, if there is one. A reader that is gone does not end
// the journal.
func (a *Appender) pass(pieces []piece) error {
	if a.out == nil || len(pieces) == 0 {
		return nil
	}
	a.passed = store.Reuse(a.passed)
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

// Close closes the journal. err is an error from before, which stays the
// first.
func (a *Appender) Close(err error) error {
	return errors.Join(err, a.sync.Close(), a.w.Close())
}

// fail tells the reader of the output why nothing more is kept.
func (a *Appender) fail(err error) error {
	if err == nil {
		return nil
	}
	again := errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
	a.pass([]piece{{line: event.Error("ua-journal", err.Error(), again)}})
	return prog.Errorf(prog.Trouble, "%w", err)
}

// Conclude ends a run that has events but no summary, because the process that writes it
// was killed. The status in the summary is that of SIGKILL.
func (a *Appender) Conclude() error {
	if a.last == "" || a.last == "summary" {
		return nil
	}
	t, age, err := store.Tally(a.w.File, a.w.Size)
	if err != nil {
		return err
	}
	t.Fail("ua", "the run was killed: its events end without a summary", true)
	return a.Take(t.Summary(128+int(syscall.SIGKILL), age))
}
