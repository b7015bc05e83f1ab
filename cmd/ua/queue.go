package main

import (
	"os"
	"sync"
)

// A queue writes lines to a stage from a goroutine of its own, so that the ring
// never waits for a stage that waits for the ring. What the ring itself puts in
// is bounded by what the stages bound: a response, a command's output.
type queue struct {
	mu     sync.Mutex
	cond   sync.Cond
	lines  [][]byte
	size   int // of lines, each with what the journal adds to a broken one
	closed bool
	err    error
	done   chan struct{} // closed when the file is closed
}

func newQueue(f *os.File) *queue {
	q := &queue{done: make(chan struct{})}
	q.cond.L = &q.mu
	go q.drain(f)
	return q
}

// put adds a line, which it keeps.
func (q *queue) put(line []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.closed && q.err == nil {
		q.lines = append(q.lines, line)
		q.size += len(line) + 256
		q.cond.Broadcast()
	}
}

// offer adds a line when there is room for it: a stage that writes without end
// waits like any writer of a pipe.
func (q *queue) offer(line []byte) {
	q.mu.Lock()
	for q.size > fullQueue && !q.closed && q.err == nil {
		q.cond.Wait()
	}
	q.mu.Unlock()
	q.put(line)
}

// fullQueue is the bytes that a queue holds before an offer waits.
const fullQueue = 4 << 20

// end closes the file once all lines are written.
func (q *queue) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.cond.Broadcast()
}

func (q *queue) drain(f *os.File) {
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

func (q *queue) fail(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.err, q.lines = err, nil
	q.cond.Broadcast()
}
