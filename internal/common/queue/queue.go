// Package queue writes lines to a program without waiting for it.
package queue

import (
	"os"
	"sync"
)

// A Queue writes lines to a stage from its own goroutine, so that the ring never waits
// for a stage that waits for the ring. How much the ring itself puts in is limited by the
// stages' own limits on a response or a command's output.
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

// Put adds a line. The Queue keeps it, so it may not be changed any more.
func (q *Queue) Put(line []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed && q.err == nil {
		q.lines = append(q.lines, line)
		q.size += len(line) + 256
		q.cond.Broadcast()
	}
}

// Offer adds a line when there is room for it. A stage that writes without end has to
// wait, like any writer of a pipe.
func (q *Queue) Offer(line []byte) {
	q.mu.Lock()
	for q.size > fullQueue && !q.closed && q.err == nil {
		q.cond.Wait()
	}
	q.mu.Unlock()
	q.Put(line)
}

// fullQueue is how many bytes a queue holds before Offer waits.
const fullQueue = 4 << 20

// End closes the file once all lines are written.
func (q *Queue) End() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.cond.Broadcast()
}

// drain writes the lines to the file until the queue ends or writing fails.
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
		// One write for all the lines that have come.
		if _, err := f.Write(buf); err != nil {
			q.fail(err)
			return
		}
		if cap(buf) > 1<<20 {
			buf = nil
		}
	}
}

// fail drops all lines, since the stage reads no more.
func (q *Queue) fail(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.err, q.lines = err, nil
	q.cond.Broadcast()
}
