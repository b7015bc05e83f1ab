package main

import "sync"

// A job is a call on its way through the executor, from its verdict to its
// result. A later line of the input may still revoke it.
type job struct {
	call   *call
	joined judgement // what its verdicts said when it was begun
	done   chan struct{}
	line   []byte // of the result, once done is closed; nil when another stage has answered

	mu       sync.Mutex
	revoked  chan struct{} // closed when it must end
	why      string        // and why
	answered bool          // another stage's result counts
}

func newJob(c *call, j judgement) *job {
	return &job{call: c, joined: j, done: make(chan struct{}), revoked: make(chan struct{})}
}

// finish gives the job its result.
func (j *job) finish(line []byte) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.answered {
		j.line = line
	}
	close(j.done)
}

// revoke has the job's command end, or never begin, and says whether it had no
// result yet. With answered it gets none.
func (j *job) revoke(why string, answered bool) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.isDone() {
		return false
	}
	if j.why == "" {
		j.why = why
		close(j.revoked)
	}
	j.answered = j.answered || answered
	return true
}

// reason returns why the job was revoked, or "".
func (j *job) reason() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.why
}

// isDone reports whether the job has its result.
func (j *job) isDone() bool {
	select {
	case <-j.done:
		return true
	default:
		return false
	}
}

// interrupted is what calls are told whose turn did not come.
const interrupted = "the run was interrupted before this call's turn, so it was not run"
