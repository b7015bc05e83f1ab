package main

import (
	"math"
	"sync"
	"time"

	"ua/cmd/ua-exec/internal/call"
	"ua/cmd/ua-exec/internal/output"
	"ua/internal/common/event"
	"ua/internal/common/redact"
)

// A queuedCall is a call in the executor, from its verdict to its result.
type queuedCall struct {
	call   *call.Call
	newest output.Newest // of its output, if somebody looks
	done   chan struct{}
	line   []byte // of the result, once done is closed
}

// finish sets the result of the call.
func (q *queuedCall) finish(line []byte) {
	q.line = line
	close(q.done)
}

// progressEvery is how often the newest line of a running command's output is passed on.
const progressEvery = 300 * time.Millisecond

// await waits for the result of the call, and meanwhile passes on the newest line of its output
// whenever that has changed.
func (q *queuedCall) await(secrets *redact.Set, pass func(line []byte)) {
	look := time.NewTicker(progressEvery)
	defer look.Stop()
	for told := ""; ; {
		select {
		case <-q.done:
			return
		case <-look.C:
			if text := q.newest.Line(secrets); text != told {
				told = text
				pass(event.New("delta").Str("kind", "output").Str("call_id", q.call.ID).
					Str("text", text).Line())
			}
		}
	}
}

// maxAhead is how many bytes of lines the stage reads ahead while a command before them
// runs. Beyond that, the programs before this one wait.
const maxAhead = 80 << 20

// What an item of the queue uses besides its bytes.
const (
	itemBytes = 128
	callBytes = 2048 // a call on its way, its verdict and its result
)

// An item is a line to pass on, or a call whose result is still to come.
type item struct {
	line []byte
	call *queuedCall
}

// size returns about how many bytes of memory the item takes.
func (it *item) size() int {
	n := itemBytes + len(it.line)
	if it.call != nil {
		n += callBytes + len(it.call.call.Command)
	}
	return n
}

// A queue holds what is to be written, in order. It is no outbox.Outbox, which holds lines:
// most items here are calls that still run, and who takes one waits for its result.
type queue struct {
	mu     sync.Mutex
	change *sync.Cond
	items  []item
	size   int // of the items, by what they take in memory
	max    int
	closed bool
}

// newQueue returns an empty queue that holds up to maxAhead bytes.
func newQueue() *queue {
	q := &queue{max: maxAhead}
	q.change = sync.NewCond(&q.mu)
	return q
}

// put adds an item, and first waits while the queue is full. Once the queue is closed it
// does nothing.
func (q *queue) put(it item) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.size > q.max && !q.closed {
		q.change.Wait()
	}
	if q.closed {
		return
	}
	q.items = append(q.items, it)
	q.size += it.size()
	q.change.Broadcast()
}

// take returns the next item. ok is false when no more will come.
func (q *queue) take() (it item, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 {
		if q.closed {
			return item{}, false
		}
		q.change.Wait()
	}
	it = q.items[0]
	q.items[0] = item{}
	q.items = q.items[1:]
	q.size -= it.size()
	q.change.Broadcast()
	return it, true
}

// empty reports whether who takes the next item has to wait for it.
func (q *queue) empty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items) == 0
}

// hurry raises the limit, so that put no longer waits.
func (q *queue) hurry() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.max = math.MaxInt
	q.change.Broadcast()
}

// close closes the queue. take still returns what the queue holds.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.change.Broadcast()
}
