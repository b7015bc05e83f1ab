package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"ua/cmd/ua-exec/internal/process"
	"ua/internal/common/event"
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

// marshal returns v as JSON. Callers pass only values that can be encoded.
func marshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return []byte("null")
	}
	return b
}
