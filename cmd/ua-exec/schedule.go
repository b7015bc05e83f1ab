package main

import (
	"sync"

	"ua/internal/common/verdict"
)

// submit queues the call, to be run when it is its turn.
func (x *executor) submit(c *call) *queuedCall {
	j := newQueuedCall(c)
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

// A queuedCall is a call in the executor, from its verdict to its result. A later line of
// the input can still revoke it.
type queuedCall struct {
	call   *call
	recent recent // of its output, if somebody looks
	done   chan struct{}
	line   []byte // of the result, once done is closed

	mu      sync.Mutex
	revoked chan struct{} // closed when it must end
	why     string        // and why
}

// newQueuedCall returns a call that has not begun.
func newQueuedCall(c *call) *queuedCall {
	return &queuedCall{call: c, done: make(chan struct{}), revoked: make(chan struct{})}
}

// finish sets the result of the call.
func (q *queuedCall) finish(line []byte) {
	q.line = line
	close(q.done)
}

// revoke ends the command, or keeps it from beginning, and says in words what that has done.
func (q *queuedCall) revoke(why string) string {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.isDone() {
		return "its command had ended already"
	}
	if q.why == "" {
		q.why = why
		close(q.revoked)
	}
	return "its command was ended"
}

// reason returns why the call was revoked, or "".
func (q *queuedCall) reason() string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.why
}

// isDone reports whether the call has its result.
func (q *queuedCall) isDone() bool {
	select {
	case <-q.done:
		return true
	default:
		return false
	}
}
