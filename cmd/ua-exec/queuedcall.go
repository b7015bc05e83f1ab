package main

import "sync"

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
