package main

import (
	"sync"

	"ua/internal/common/verdict"
)

// submit queues the call, to be run when it is its turn.
func (x *executor) submit(c *call) *queuedCall {
	j := &queuedCall{call: c, done: make(chan struct{})}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		j.finish(answer(c, "refused", interrupted))
		return j
	}
	x.waiting = append(x.waiting, j)
	x.change.Signal()
	return j
}

// schedule starts the calls in order. A read_only call may run beside others of its kind,
// as far as there are slots. Any other call runs alone.
func (x *executor) schedule() {
	defer close(x.ended)
	var running sync.WaitGroup
	defer running.Wait()
	slots := make(chan struct{}, x.opts.jobs)
	reading := false // what runs now only reads
	for j := x.next(); j != nil; j = x.next() {
		reads := j.call.risk == verdict.ReadOnly
		if !reads || !reading {
			running.Wait()
		}
		reading = reads
		slots <- struct{}{}
		running.Add(1)
		go func() {
			defer func() { <-slots; running.Done() }()
			j.finish(x.run(j))
		}()
	}
}

// next waits for a call and takes it. It is nil when no more will come.
func (x *executor) next() *queuedCall {
	x.mu.Lock()
	defer x.mu.Unlock()
	for len(x.waiting) == 0 {
		if x.closed {
			return nil
		}
		x.change.Wait()
	}
	j := x.waiting[0]
	x.waiting[0] = nil
	x.waiting = x.waiting[1:]
	return j
}

// A queuedCall is a call in the executor, from its verdict to its result.
type queuedCall struct {
	call   *call
	recent recent // of its output, if somebody looks
	done   chan struct{}
	line   []byte // of the result, once done is closed
}

// finish sets the result of the call.
func (q *queuedCall) finish(line []byte) {
	q.line = line
	close(q.done)
}
