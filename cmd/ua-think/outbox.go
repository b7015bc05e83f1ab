package main

import (
	"io"
	"os"
	"sync"
	"time"

	"ua/internal/common/event"
)

// An outbox takes events without ever making its caller wait and writes them
// in order as fast as their reader takes them: a full pipe never stalls the
// model's stream. What it holds is bounded by the limits of an answer. Deltas
// that wait are joined, so that a slow reader gets fewer and longer ones. After
// a failed write it takes nothing more.
type outbox struct {
	mu     sync.Mutex
	wake   *sync.Cond
	lines  [][]byte // parts of lines, in order
	kind   string   // of the delta that waits
	delta  []byte   // its text, escaped for JSON
	closed bool
	err    error // of the writer
	done   chan struct{}
}

// maxDelta bounds the escaped text of one delta line.
const maxDelta = 256 << 10

func newOutbox(w io.Writer) *outbox {
	o := &outbox{done: make(chan struct{})}
	o.wake = sync.NewCond(&o.mu)
	go o.write(w)
	return o
}

// add queues one event, given as the parts of its line. The parts must not
// change afterwards.
func (o *outbox) add(parts ...[]byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		o.endDelta()
		o.lines = append(append(o.lines, parts...), newline)
		o.wake.Signal()
	}
}

var newline = []byte{'\n'}

// addDelta queues a delta whose text is escaped for JSON.
func (o *outbox) addDelta(kind string, escaped []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return
	}
	if o.kind != kind || len(o.delta) > maxDelta {
		o.endDelta()
	}
	o.kind = kind
	o.delta = append(o.delta, escaped...)
	o.wake.Signal()
}

// endDelta makes a line of the delta that waits.
func (o *outbox) endDelta() {
	if len(o.delta) == 0 {
		return
	}
	line := make([]byte, 0, len(o.delta)+96)
	line = append(append(line, `{"type":"delta","ts":"`...), event.Now()...)
	line = append(append(line, `","kind":"`...), o.kind...)
	line = append(append(line, `","text":"`...), o.delta...)
	o.lines = append(o.lines, append(line, '"', '}', '\n'))
	if o.delta = o.delta[:0]; cap(o.delta) > maxDelta {
		o.delta = nil
	}
}

// write moves the lines to w, small ones together.
func (o *outbox) write(w io.Writer) {
	defer close(o.done)
	var lines [][]byte
	buf := make([]byte, 0, 4<<10)
	for {
		o.mu.Lock()
		for len(o.lines) == 0 && len(o.delta) == 0 && !o.closed {
			o.wake.Wait()
		}
		o.endDelta()
		lines, o.lines = o.lines, lines[:0]
		o.mu.Unlock()
		if len(lines) == 0 {
			return
		}
		var err error
		for i, part := range lines {
			lines[i] = nil
			if len(buf)+len(part) > cap(buf) && err == nil {
				_, err = w.Write(buf)
				buf = buf[:0]
			}
			if len(part) > cap(buf) && err == nil {
				_, err = w.Write(part)
			} else if err == nil {
				buf = append(buf, part...)
			}
		}
		if err == nil {
			_, err = w.Write(buf)
		}
		if buf = buf[:0]; err != nil {
			o.mu.Lock()
			o.err = err
			o.mu.Unlock()
			return
		}
	}
}

// close waits until all is written and returns the writer's error. With a
// limit above 0 it waits no longer than that for a reader that has stopped.
func (o *outbox) close(limit time.Duration) error {
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	o.wake.Signal()
	var late <-chan time.Time
	if limit > 0 {
		late = time.After(limit)
	}
	select {
	case <-o.done:
	case <-late:
		return os.ErrDeadlineExceeded
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}
