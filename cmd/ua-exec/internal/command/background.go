package command

import (
	"context"
	"errors"
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

// A Background counts the commands in the background that are still running, and holds
// those that have ended since the last result.
type Background struct {
	mu      sync.Mutex
	closed  bool // no program starts one any more
	running int
	over    chan struct{} // closed when running falls to 0; nil before the first
	news    []Ending      // not told yet
}

// Close has Admit refuse all from now on.
func (b *Background) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
}

// Closed reports whether it does.
func (b *Background) Closed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.closed
}

// Admit is Add for a command that a program asks for, before it is started: the end of the
// run waits for those that are counted. The error says why it must not be, such as most that
// are running.
func (b *Background) Admit(most int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.closed:
		return ErrRunEnds
	case b.running >= most:
		return fmt.Errorf("%d jobs are running, which is the limit", b.running)
	}
	b.add()
	return nil
}

// ErrRunEnds is the error of one that comes too late.
var ErrRunEnds = errors.New("the run is ending")

// Add counts one command more. A sync.WaitGroup does not allow that: a program may start a
// command at any moment, even when the last one is just ending.
func (b *Background) Add() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.add()
}

// add is Add for a caller that holds the lock.
func (b *Background) add() {
	if b.running++; b.running == 1 {
		b.over = make(chan struct{})
	}
}

// An Ending is the end of a command in the background.
type Ending struct {
	CallID  string
	Ended   process.Ended
	Refused string // why ua-sandbox has not run it, or ""
}

// Done counts one command less. The next result tells of its end, unless that is nil.
func (b *Background) Done(e *Ending) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e != nil {
		b.news = append(b.news, *e)
	}
	if b.running--; b.running == 0 {
		close(b.over)
	}
}

// Wait waits until all have ended or ctx ends, and reports whether all have ended.
func (b *Background) Wait(ctx context.Context) bool {
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

// tell adds to a result the background commands that have ended since the last one, and
// returns the same in words.
func (b *Background) tell(r *event.Builder) (words []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	type ended struct {
		CallID   string `json:"call_id"`
		ExitCode int    `json:"exit_code"`
	}
	var list []ended
	for _, e := range b.news {
		code, signal := e.Ended.Code()
		list = append(list, ended{e.CallID, code})
		word := fmt.Sprintf("the background command of call %s has ended with exit status %d",
			e.CallID, code)
		if signal != "" {
			word += " (" + signal + ")"
		}
		if e.Refused != "" {
			word = fmt.Sprintf("the background command of call %s was not run: %s", e.CallID,
				e.Refused)
		}
		words = append(words, word)
	}
	if b.news = nil; len(list) > 0 {
		r.Raw("background_ended", marshal(list))
	}
	return words
}

// Settle reports whether a background command is still running after jobs.SettleTime, or
// when the run ends.
func (c *Command) Settle() bool {
	select {
	case c.Ended = <-c.exited:
		return false
	case <-c.runner.Ctx.Done():
		return true
	case <-time.After(jobs.SettleTime):
		return true
	}
}

// GoOn lets the command run on in the background. It returns what it has printed so far, and
// the path of the ring in which that and the rest is kept, or "". look sees what comes.
func (c *Command) GoOn(look func([]byte)) (got *capture.Result, log string) {
	c.took, c.status = time.Since(c.Began), "background"
	more := c.Output.Drain(0)
	if got = c.Output.Kept.Close(more); more || got.Text != "" {
		c.keepLater(got.Text, more, look)
	}
	return got, c.later
}

// FinishLater collects what a command in the background that has ended leaves behind. Who is
// told that it has ended finds all that it has printed.
func (c *Command) FinishLater() {
	c.collect()
	c.tell()
	if len(c.Left) == 0 {
		select {
		case <-c.Output.Over:
		case <-time.After(drainTime):
		}
	}
}

// drainTime is how long the last output of a background command may take to get into its
// log. A process that is no descendant could hold the pipe open.
const drainTime = 5 * time.Second

// keepLater keeps text, and with more what the command's processes still print, in a ring,
// which look sees too.
func (c *Command) keepLater(text string, more bool, look func([]byte)) {
	var ring *capture.Ring
	file, err := c.runner.Folder.Create(c.Call.ID, ".log")
	if c.lost = err; err == nil {
		ring = c.Output.Kept.Ring(c.runner.Folder.Root(), file, text, look)
		c.later = ring.Path()
	}
	if more {
		c.Output.PassOn(ring)
	} else if ring != nil {
		ring.Close()
	}
}

// openStdin makes a pipe for the stdin of a background command, and returns the command's
// end. The pipe stays open, because many programs end with their stdin.
func (c *Command) openStdin() (*os.File, error) {
	r, w, err := pipe.Raw()
	if err != nil {
		return nil, err
	}
	err = syscall.SetNonblock(r, false) // as programs expect of their stdin
	if err == nil {
		err = syscall.SetNonblock(w, true)
	}
	c.Stdin = os.NewFile(uintptr(w), "stdin")
	return os.NewFile(uintptr(r), "stdin"), os.NewSyscallError("fcntl", err)
}
