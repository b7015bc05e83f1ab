package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-journal/internal/store"
	"ua/internal/common/event"
	"ua/internal/common/journal"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/style"
)

// lsVerb lists runs, newest first.
func lsVerb(env *prog.Env, args []string) error {
	fs := prog.Flags()
	asJSON := fs.Bool("json", false, "")
	all := fs.Bool("all", false, "")
	if err := env.Parse(fs, args, help); err != nil {
		return err
	}
	runs, err := listed(fs.Args())
	if err != nil {
		return err
	}
	l := &list{env: env, json: asJSON, all: all, paint: style.For(env.Stdout)}
	return l.runs(runs, "")
}

// listed returns the runs that the operands mean: those that a run has started or,
// without operands, all of the user's.
func listed(args []string) ([]run.Run, error) {
	if len(args) == 0 {
		return run.List(run.Root())
	}
	name, err := operand(args)
	if err != nil {
		return nil, err
	}
	path, err := readable(name)
	if err != nil {
		return nil, err
	}
	return run.Run{Dir: filepath.Dir(path)}.Children()
}

// A list prints runs.
type list struct {
	env       *prog.Env
	json, all *bool
	paint     style.Style
}

// runs prints runs and, with --all, the runs below each of them.
func (l *list) runs(runs []run.Run, indent string) error {
	for _, r := range runs {
		s, err := look(r)
		if errors.Is(err, fs.ErrNotExist) {
			continue // a folder without a journal, or one that is just removed
		}
		if err != nil {
			warn(l.env, r.Dir)(err)
			continue
		}
		if *l.json {
			if _, err := fmt.Fprintf(l.env.Out(), "%s\n", s.line()); err != nil {
				return err
			}
		} else {
			l.print(s, indent)
		}
		if *l.all {
			below, err := r.Children()
			if err == nil {
				err = l.runs(below, indent+"  ")
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// print prints the line of one run.
func (l *list) print(s status, indent string) {
	state := fmt.Sprintf("%-9s", s.state())
	switch {
	case s.pid != 0:
		state = l.paint.Cyan(state)
	case s.ended && s.exit == 0:
		state = l.paint.Dim(state)
	default:
		state = l.paint.Red(state)
	}
	l.env.Printf("%s%s  %s  %s  %4s  %-8s  %s\n", indent, style.Printable(s.run.ID),
		s.began.Local().Format("Jan _2 15:04"), state,
		style.Count(s.tally.TokensIn+s.tally.TokensOut), style.Dollars(s.tally.CostUSD),
		style.FirstLine(s.task, 60))
}

// A status is what one look at a run's journal tells.
type status struct {
	run   run.Run
	began time.Time
	model string
	task  string
	pid   int // of the process that writes the journal, 0 when none does
	ended bool
	exit  int64
	took  int64 // in milliseconds
	tally journal.Tally
}

// state returns the state of the run.
func (s status) state() string {
	switch {
	case s.pid != 0:
		return run.Running
	case !s.ended:
		return run.Failed
	}
	return run.EndState(int(s.exit))
}

// look reads the first events of a run and the last one. Only the journal of a run
// without a summary is read completely.
func look(r run.Run) (s status, err error) {
	s.run = r
	j, size, err := store.Open(r.Journal())
	if err != nil {
		return s, err
	}
	defer j.Close()
	s.pid = store.Holder(j)
	if err := s.begin(j, size); err != nil {
		return s, err
	}
	// A run that has ended says everything in its last line, so long journals are not
	// read.
	err = journal.Backward(j, size, func(line []byte, _ int64) bool {
		if s.ended = event.Type(line) == "summary"; s.ended {
			s.summary(line)
		}
		return len(bytes.TrimSpace(line)) == 0
	})
	if err == nil && !s.ended {
		err = store.Each(j, size, store.Ignore, func(line []byte, _ int64) error {
			s.tally.Add(line)
			return nil
		})
	}
	return s, err
}

// begin reads the events before the first turn.
func (s *status) begin(j *os.File, size int64) error {
	errDone := errors.New("read enough")
	err := store.Each(j, size, store.Ignore, func(line []byte, _ int64) error {
		if ts, err := time.Parse(time.RFC3339, event.Str(line, "ts")); err == nil &&
			s.began.IsZero() {
			s.began = ts
		}
		switch event.Type(line) {
		case "run":
			s.task, s.model = event.Str(line, "task"), event.Str(line, "model")
		case "instruction":
			if s.task == "" {
				s.task = event.Str(line, "text")
			}
			return errDone
		// A conversation without an instruction before its first turn has no task.
		case "turn", "response":
			return errDone
		}
		return nil
	})
	if errors.Is(err, errDone) {
		return nil
	}
	return err
}

// summary takes in the event that ends a run.
func (s *status) summary(line []byte) {
	get := func(name string) int64 { return gjson.GetBytes(line, name).Int() }
	s.exit, s.took = get("exit_code"), get("duration_ms")
	s.tally.TokensIn, s.tally.TokensOut, s.tally.CacheRead = get("tokens_in"), get("tokens_out"),
		get("cache_read")
	s.tally.Commands, s.tally.Denied = get("commands"), get("denied")
	s.tally.CostUSD = gjson.GetBytes(line, "cost_usd").Float()
}

// line returns the status as a JSON object.
func (s status) line() []byte {
	e := event.New("status").Str("id", s.run.ID).Str("dir", s.run.Dir).Str("state",
		s.state()).OptStr("model", s.model).Str("task", s.task)
	if !s.began.IsZero() {
		e.Str("began", s.began.Format(time.RFC3339Nano))
	}
	if s.pid != 0 {
		e.Int("pid", int64(s.pid))
	}
	if s.ended {
		e.Int("exit_code", s.exit).Int("duration_ms", s.took)
	}
	t := s.tally
	return e.Int("tokens_in", t.TokensIn).Int("tokens_out", t.TokensOut).Int("cache_read",
		t.CacheRead).
		Float("cost_usd", t.CostUSD).Int("commands", t.Commands).Int("denied", t.Denied).Line()
}
