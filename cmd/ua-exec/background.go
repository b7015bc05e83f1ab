package main

import (
	"fmt"
	"sync"
	"time"

	"ua/internal/common/event"
)

// settleTime is how long a background command is watched before its result is
// given, so that one that fails at once is reported as what it is.
const settleTime = 200 * time.Millisecond

// settle says whether a background command still runs after settleTime.
func (e *execution) settle() bool {
	select {
	case e.ended = <-e.exited:
		return false
	case <-e.x.ctx.Done():
		return true
	case <-e.job.revoked:
		return true
	case <-time.After(settleTime):
		return true
	}
}

// leave leaves the command to run in the background and returns its result,
// with what it has printed up to now.
func (e *execution) leave() []byte {
	e.took = time.Since(e.began)
	e.status = "background"
	more := e.output.drain(0)
	got := e.output.kept.Close(more)
	if more {
		e.later = e.passOn(got.Text)
	}
	r := e.newRecord()
	e.record = e.x.folder.record(e.call, "", r)
	line := e.result(got)
	e.x.background.watched.Add(1)
	go e.watch(r)
	return line
}

// watch waits for the end of a background command, or ends it at the time limit
// that its call names. The next result tells of it.
func (e *execution) watch(r *record) {
	defer e.x.background.watched.Done()
	var limit <-chan time.Time
	if e.call.timeout > 0 {
		limit = time.After(e.call.timeout)
	}
	select {
	case e.ended = <-e.exited:
	case <-limit:
		e.stop("timeout", "time")
	case <-e.job.revoked:
		e.stop("interrupted", "")
	}
	e.report.statuses()
	if e.status != "background" {
		killAll(e.leftBy)
	}
	e.x.processes.know(e.pid, false)
	g := gone{e.call.id, e.ended, e.notRun.said()}
	r.ended(g)
	e.x.folder.record(e.call, e.record, r)
	e.x.background.add(g)
}

// A background is the commands in the background that have ended since the last
// result.
type background struct {
	mu      sync.Mutex
	gone    []gone
	watched sync.WaitGroup // those that have not ended
}

func (b *background) add(g gone) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.gone = append(b.gone, g)
}

// A gone is a background command that has ended.
type gone struct {
	id     string
	end    ended
	refuse string // why ua-sandbox did not run it, or ""
}

// tell adds to a result which background commands have ended since the last
// one, and returns the same in words.
func (bg *background) tell(b *event.Builder) (words []string) {
	bg.mu.Lock()
	defer bg.mu.Unlock()
	if len(bg.gone) == 0 {
		return nil
	}
	list := []byte{'['}
	for i, g := range bg.gone {
		if i > 0 {
			list = append(list, ',')
		}
		code, signal := g.end.code()
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
	bg.gone = nil
	b.Raw("background_ended", append(list, ']'))
	return words
}
