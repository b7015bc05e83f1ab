package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"ua/cmd/ua-journal/internal/store"
	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/runfolder"
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
	found, err := listed(fs.Args())
	if err != nil {
		return err
	}
	l := &list{env: env, json: asJSON, all: all, paint: style.For(env.Stdout)}
	return l.runs(found, "")
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
func (l *list) runs(found []run.Run, indent string) error {
	for _, r := range found {
		s, err := look(r)
		if errors.Is(err, fs.ErrNotExist) {
			continue // a folder without a journal, or one that is just removed
		}
		if err != nil {
			warn(l.env, r.Dir)(err)
			continue
		}
		if *l.json {
			if _, err := fmt.Fprintf(l.env.Out(), "%s\n", line(s)); err != nil {
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
func (l *list) print(s *runfolder.Info, indent string) {
	l.env.Printf("%s%s  %s  %s  %4s  %-8s  %s\n", indent, style.Printable(s.ID),
		s.Started.Local().Format("Jan _2 15:04"), run.Painted(l.paint, s.State, 9),
		style.Count(s.Tally.TokensIn+s.Tally.TokensOut), style.Dollars(s.Tally.CostUSD),
		style.FirstLine(s.Task, 60))
}

// look reads a run that has a journal.
func look(r run.Run) (*runfolder.Info, error) {
	j, _, err := store.Open(r.Journal())
	if err != nil {
		return nil, err
	}
	j.Close()
	return runfolder.Read(r), nil
}

// line returns what is known of a run as a JSON object.
func line(s *runfolder.Info) []byte {
	e := event.New("status").Str("id", s.ID).Str("dir", s.Dir).Str("state", s.State).
		OptStr("model", s.Model).Str("task", s.Task)
	if !s.Started.IsZero() {
		e.Str("began", s.Started.Format(time.RFC3339Nano))
	}
	if s.Live() {
		e.Int("pid", int64(s.PID))
	} else if !s.Ended.IsZero() {
		e.Int("exit_code", int64(s.Status)).Int("duration_ms", s.Worked.Milliseconds())
	}
	t := s.Tally
	return e.Int("tokens_in", t.TokensIn).Int("tokens_out", t.TokensOut).Int("cache_read",
		t.CacheRead).
		Float("cost_usd", t.CostUSD).Int("commands", t.Commands).Int("denied", t.Denied).Line()
}
