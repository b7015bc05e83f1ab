package main

import (
	"os"
	"syscall"
	"time"

	"ua/cmd/ua-exec/internal/pipe"
	"ua/cmd/ua-exec/internal/process"
	"ua/internal/common/capture"
	"ua/internal/common/jobs"
)

// settle reports whether a background command is still running after jobs.SettleTime, or
// when the run ends.
func (e *execution) settle() bool {
	select {
	case e.ended = <-e.exited:
		return false
	case <-e.x.ctx.Done():
		return true
	case <-time.After(jobs.SettleTime):
		return true
	}
}

// leave lets the command run on in the background. It returns the command's result, with
// what it has printed so far.
func (e *execution) leave() []byte {
	got, r := e.goOn()
	line := e.result(got)
	e.x.background.watch()
	go e.watch(r)
	return line
}

// goOn makes the command a job: it gets a record, and what it prints goes to a ring.
func (e *execution) goOn() (*capture.Result, *jobs.Record) {
	e.took = time.Since(e.began)
	e.status = "background"
	r := e.newRecord()
	e.wake.record = r
	more := e.output.drain(0)
	got := e.output.kept.Close(more)
	if more {
		e.later = e.passOn(got.Text)
	} else if got.Text != "" {
		e.later = e.keepLast(got.Text)
	}
	e.wake.mu.Lock()
	defer e.wake.mu.Unlock()
	r.Log = e.later
	e.record = e.x.folder.Record(e.call.id, "", r)
	e.x.control.take(e)
	return got, r
}

// keepLast keeps the output of a command that has closed its output already.
func (e *execution) keepLast(text string) string {
	file, err := e.x.folder.Create(e.call.id, ".log")
	if err != nil {
		e.lost = err
		return ""
	}
	ring := e.output.kept.Ring(e.x.folder.Root(), file, text, e.look)
	defer ring.Close()
	return ring.Path()
}

// openStdin makes a pipe for the stdin of a background command, and returns the command's
// end. The pipe stays open, because many programs end with their stdin.
func (e *execution) openStdin() (*os.File, error) {
	e.asked, e.over = make(chan time.Duration), make(chan struct{})
	r, w, err := pipe.Raw()
	if err != nil {
		return nil, err
	}
	err = syscall.SetNonblock(r, false) // as programs expect of their stdin
	if err == nil {
		err = syscall.SetNonblock(w, true)
	}
	e.stdin = os.NewFile(uintptr(w), "stdin")
	return os.NewFile(uintptr(r), "stdin"), os.NewSyscallError("fcntl", err)
}

// watch waits for the end of a background command, or ends it at the time limit of its
// call. The next result reports it.
func (e *execution) watch(r *jobs.Record) {
	defer e.x.background.unwatch()
	e.wait(e.call.timeout, 0)
	defer close(e.over)
	e.stdin.Close()
	e.report.Statuses()
	if e.status != "background" {
		process.KillAll(e.leftBy)
	}
	e.left = e.leftBy()
	e.x.processes.Tell(e.pid, e.left)
	e.x.keepWhile(e.credential, e.left)
	if len(e.left) == 0 {
		select { // who reads that it has ended finds all that it has printed
		case <-e.output.over:
		case <-time.After(drainTime):
		}
	}
	g := endedJob{e.call.id, e.ended, e.notRun.NotRun()}
	e.wake.mu.Lock()
	defer e.wake.mu.Unlock()
	r.Left = len(e.left)
	hasEnded(r, g)
	e.x.folder.Record(e.call.id, e.record, r)
	e.x.background.add(g)
}

// newRecord returns the record of a command in the background, with secrets removed from
// its text.
func (e *execution) newRecord() *jobs.Record {
	command, _ := e.x.environ.Secrets.Text(e.call.command)
	return &jobs.Record{
		CallID: e.call.id, Command: command, Profile: string(e.call.profile), PID: e.pid,
		State: jobs.Running, Started: e.began.UTC(),
		Socket: e.x.control.name(),
	}
}

// hasEnded adds to a record how the command has ended.
func hasEnded(r *jobs.Record, g endedJob) {
	now := time.Now().UTC()
	code, signal := g.end.Code()
	r.State, r.ExitCode, r.Signal, r.Ended = jobs.Ended, &code, signal, &now
	if g.refuse != "" {
		r.State, r.Reason, r.ExitCode = jobs.Refused, g.refuse, nil
	}
}
