package main

import (
	"context"
	"fmt"
	"sync"

	"ua/cmd/ua-exec/internal/process"
	"ua/internal/common/event"
)

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
