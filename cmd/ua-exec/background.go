package main

import (
	"context"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"ua/cmd/ua-exec/internal/pipe"
	"ua/cmd/ua-exec/internal/process"
	"ua/internal/common/capture"
	"ua/internal/common/event"
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
	if more || got.Text != "" {
		e.later = e.keepLater(got.Text, more)
	}
	e.wake.mu.Lock()
	defer e.wake.mu.Unlock()
	r.Log = e.later
	e.record = e.x.folder.Record(e.call.id, "", r)
	e.x.control.take(e)
	return got, r
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

// A background counts the commands in the background that are still running, and holds
// those that have ended since the last result.
type background struct {
	mu      sync.Mutex
	news    []endedJob    // not told yet
	watched int           // those that have not ended
	over    chan struct{} // closed when watched falls to 0; nil before the first
}

// watch counts one command more. A sync.WaitGroup does not allow that: a program may
// start a command at any moment, even when the last one is just ending.
func (b *background) watch() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.watched++; b.watched == 1 {
		b.over = make(chan struct{})
	}
}

// unwatch counts one command less.
func (b *background) unwatch() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.watched--; b.watched == 0 {
		close(b.over)
	}
}

// wait waits until all have ended or ctx ends, and reports whether all have ended.
func (b *background) wait(ctx context.Context) bool {
	b.mu.Lock()
	over := b.over
	b.mu.Unlock()
	if over == nil {
		return true
	}
	select {
	case <-over:
		return true
	case <-ctx.Done():
		return false
	}
}

// add records a command that has ended, for the next result.
func (b *background) add(g endedJob) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.news = append(b.news, g)
}

// An endedJob is a background command that has ended.
type endedJob struct {
	id     string
	end    process.Ended
	refuse string // why ua-sandbox did not run it, or ""
}

// tell adds to a result the background commands that have ended since the last one, and
// returns the same in words.
func (bg *background) tell(b *event.Builder) (words []string) {
	bg.mu.Lock()
	defer bg.mu.Unlock()
	if len(bg.news) == 0 {
		return nil
	}
	list := []byte{'['}
	for i, g := range bg.news {
		if i > 0 {
			list = append(list, ',')
		}
		code, signal := g.end.Code()
		list = fmt.Appendf(list, `{"call_id":%s,"exit_code":%d}`, event.AppendString(nil, g.id), code)
		word := fmt.Sprintf("the background command of call %s has ended with exit status %d",
			g.id, code)
		if signal != "" {
			word += " (" + signal + ")"
		}
		if g.refuse != "" {
			word = fmt.Sprintf("the background command of call %s was not run: %s", g.id, g.refuse)
		}
		words = append(words, word)
	}
	bg.news = nil
	b.Raw("background_ended", append(list, ']'))
	return words
}
