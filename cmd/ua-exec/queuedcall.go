package main

import "sync"

// A queuedCall is a call in the executor, from its verdict to its result. A later line of
// the input can still revoke it.
type queuedCall struct {
	call   *call
	recent recent // of its output, if somebody looks
	done   chan struct{}
	line   []byte // of the result, once done is closed; nil when another stage has answered

	mu        sync.Mutex
	revoked   chan struct{} // closed when it must end
	why       string        // and why
	answered  bool          // another stage's result counts
	remainder *remainder    // what runs on when it has its result; nil for nothing
}

// newQueuedCall returns a call that has not begun.
func newQueuedCall(c *call) *queuedCall {
	return &queuedCall{call: c, done: make(chan struct{}), revoked: make(chan struct{})}
}

// finish sets the result of the call, unless another stage has answered it. What a
// command that was revoked meanwhile has left does not run on.
func (q *queuedCall) finish(line []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.answered {
		q.line = line
	}
	close(q.done)
	if q.why != "" {
		q.remainder.end()
	}
}

// leaves records what of the command runs on when the call has its result.
func (q *queuedCall) leaves(r *remainder) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.remainder = r
}

// revoke ends the command, or keeps it from beginning, and says in words what that has
// done. With answered it gets no result here, because another stage has given one, unless
// it has its own already; then it is left as it is.
func (q *queuedCall) revoke(why string, answered bool) string {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case !q.isDone():
	case answered || !q.remainder.end():
		return "its command had ended already"
	case q.remainder.job != nil:
		return "its command was ended"
	default:
		return "its command had ended already, and what that had left running was ended"
	}
	if q.why == "" {
		q.why = why
		close(q.revoked)
	}
	q.answered = q.answered || answered
	return "its command was ended"
}

// isOver reports whether the call has its result and nothing of it runs on.
func (q *queuedCall) isOver() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.isDone() && !q.remainder.runs()
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
