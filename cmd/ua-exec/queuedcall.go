package main

import "sync"

// A queuedCall is a call in the executor, from its verdict to its result. A later line of
// the input can still revoke it.
type queuedCall struct {
	call   *call
	joined judgement // what its verdicts said when it was begun
	done   chan struct{}
	line   []byte // of the result, once done is closed; nil when another stage has answered

	mu       sync.Mutex
	revoked  chan struct{} // closed when it must end
	why      string        // and why
	answered bool          // another stage's result counts
}

// newQueuedCall returns a call that has not begun.
func newQueuedCall(c *call, j judgement) *queuedCall {
	return &queuedCall{call: c, joined: j, done: make(chan struct{}), revoked: make(chan struct{})}
}

// finish sets the result of the call, unless another stage has answered it.
func (q *queuedCall) finish(line []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.answered {
		q.line = line
	}
	close(q.done)
}

// revoke ends the command, or keeps it from beginning, and reports whether it had no
// result yet. With answered it gets no result here, because another stage has given one.
func (q *queuedCall) revoke(why string, answered bool) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.isDone() {
		return false
	}
	if q.why == "" {
		q.why = why
		close(q.revoked)
	}
	q.answered = q.answered || answered
	return true
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
