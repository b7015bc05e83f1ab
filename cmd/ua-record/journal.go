//go:build linux

package main

import (
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	tallies "ua/internal/common/journal"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/runtry"
	"ua/internal/common/stage"
)

// A journal is that of the run: what the gateway and the sandbox tell of the agent.
type journal struct {
	run     run.Run
	task    string
	started time.Time
	keeper  *stage.Stage

	mu      sync.Mutex
	to      *os.File // the keeper's input
	spent   tallies.Tally
	refused []string // why requests were
}

// open begins the journal of a new run.
func (j *journal) open(task string) (err error) {
	if j.run, err = run.New(run.Root()); err != nil {
		return prog.Errorf(prog.Status(err), "the run's folder: %v", err)
	}
	j.task, j.started = task, time.Now()
	keeper, err := stage.Builtin("ua-journal", "append", "--final", j.run.Journal())
	if err != nil {
		return err
	}
	in, err := stage.Pipe()
	if err != nil {
		return err
	}
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return prog.Errorf(prog.Trouble, "%v", err)
	}
	if j.keeper, err = keeper.Start(in.R, null, nil); err != nil {
		return err
	}
	j.to = in.W
	cwd, _ := os.Getwd()
	j.note(event.New("run").Str("id", j.run.ID).Int("depth", 0).Str("task", task).Str("cwd", cwd).
		Int("pid", int64(os.Getpid())).Str("version", prog.Version()).Line())
	return nil
}

// note writes an event.
func (j *journal) note(line []byte) {
	typ := event.Type(line)
	if !event.Valid(line) || typ == "sandbox" {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if typ == "model_request" {
		j.spent.Use(gjson.GetBytes(line, "usage"))
		if event.Str(line, "decision") != "refused" {
			j.spent.Calls++
		} else if why := event.Str(line, "reason"); !slices.Contains(j.refused, why) {
			j.refused = append(j.refused, why)
		}
	}
	if _, err := j.to.Write(append(line, '\n')); err != nil {
		_ = syscall.Kill(os.Getpid(), syscall.SIGTERM) // for the agent: nothing goes on unrecorded
	}
}

// close writes the summary, with which the journal ends.
func (j *journal) close(status int, t *runtry.Try) {
	j.note(t.AddTo(j.spent.Summary(status, time.Since(j.started))))
	j.to.Close()
	j.keeper.Wait(stage.Grace)
}
