// Package queue writes lines to a program without waiting for it.
package queue

import (
	"os"
	"sync"
)

// A Queue writes lines to a stage from a goroutine of its own, so that the ring
// never waits for a stage that waits for the ring. What the ring itself puts in
// is bounded by what the stages bound: a response, a command's output.
type Queue struct {
	mu     sync.Mutex
	cond   sync.Cond
	lines  [][]byte
	size   int // of lines, each with what the journal adds to a broken one
	closed bool
	err    error
	done   chan struct{} // closed when the file is closed
}

// New returns a Queue that writes to f, and closes it at the end.
func New(f *os.File) *Queue {
	q := &Queue{done: make(chan struct{})}
	q.cond.L = &q.mu
	go q.drain(f)
	return q
}

// Put adds a line, which it keeps.
func (q *Queue) Put(line []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed && q.err == nil {
		q.lines = append(q.lines, line)
		q.size += len(line) + 256
		q.cond.Broadcast()
	}
}

// Offer adds a line when there is room for it: a stage that writes without end
// waits like any writer of a pipe.
func (q *Queue) Offer(line []byte) {
	q.mu.Lock()
	for q.size > fullQueue && !q.closed && q.err == nil {
		q.cond.Wait()
	}
	q.mu.Unlock()
	q.Put(line)
}

// fullQueue is the bytes that a queue holds before an offer waits.
const fullQueue = 4 << 20

// End closes the file once all lines are written.
func (q *Queue) End() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.cond.Broadcast()
}

func (q *Queue) drain(f *os.File) {
	defer close(q.done)
	defer f.Close()
	var buf []byte
	for {
		q.mu.Lock()
		for len(q.lines) == 0 && !q.closed {
			q.cond.Wait()
		}
		lines := q.lines
		q.lines, q.size = nil, 0
		q.cond.Broadcast()
		q.mu.Unlock()
		if len(lines) == 0 {
			return
		}
		buf = buf[:0]
		for _, line := range lines {
			buf = append(append(buf, line...), '\n')
		}
		if _, err := f.Write(buf); err != nil {
			q.fail(err)
			return
		}
		if cap(buf) > 1<<20 {
			buf = nil
		}
	}
}

func (q *Queue) fail(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.err, q.lines = err, nil
	q.cond.Broadcast()
}
