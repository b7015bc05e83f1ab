package event

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"ua/internal/common/descriptor"
)

// An Outbox takes events without making its caller wait, and writes them in order as fast
// as they are read, all that wait in one write: a full pipe never stalls a model's stream, nor a
// ring that a stage waits for. The limits of an answer or of a command's output bound what it
// holds. Waiting deltas are joined, so that a slow reader gets fewer and longer ones. After a
// failed write it accepts nothing more.
type Outbox struct {
	mu     sync.Mutex
	change *sync.Cond
	text   []byte // lines that wait
	kind   string // of the delta at their end, to which more may be added; "" for none
	delta  int    // where that begins
	closed bool
	err    error // of the writer
	done   chan struct{}
}

// maxDelta limits the escaped text of one delta line, in bytes.
const maxDelta = 256 << 10

// NewOutbox returns an Outbox that writes to w until Close.
func NewOutbox(w io.Writer) *Outbox { return start(w, func() {}) }

// OutboxTo returns an Outbox that closes the file when all is written, or writing fails.
func OutboxTo(f *os.File) *Outbox { return start(f, func() { f.Close() }) }

// start returns an Outbox that calls end at its end.
func start(w io.Writer, end func()) *Outbox {
	w = descriptor.Writer(w)
	o := &Outbox{done: make(chan struct{})}
	o.change = sync.NewCond(&o.mu)
	go func() {
		defer close(o.done)
		defer end()
		o.write(w)
	}()
	return o
}

// Put queues one event.
func (o *Outbox) Put(line []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.add(line)
}

// add is Put, under the lock.
func (o *Outbox) add(line []byte) {
	if o.err == nil && !o.closed {
		o.endDelta()
		o.text = append(append(o.text, line...), '\n')
		o.change.Broadcast()
	}
}

// full is how many bytes an Outbox holds before Offer waits.
const full = 4 << 20

// Offer adds an event when there is room for it. A stage that writes without end has to
// wait, like any writer of a pipe.
func (o *Outbox) Offer(line []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.text) > full && !o.closed && o.err == nil {
		o.change.Wait()
	}
	o.add(line)
}

// AddDelta queues a delta of a kind. escaped is its text as it stands between the quotes
// of a JSON string.
func (o *Outbox) AddDelta(kind, escaped string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil || escaped == "" {
		return
	}
	if o.kind != kind || len(o.text)-o.delta > maxDelta {
		o.endDelta()
		o.kind, o.delta = kind, len(o.text)
		o.text = fmt.Appendf(o.text, `{"type":"delta","ts":%q,"kind":%q,"text":"`, Now(), kind)
	}
	o.text = append(o.text, escaped...)
	o.change.Broadcast()
}

// endDelta ends the line of a delta.
func (o *Outbox) endDelta() {
	if o.kind != "" {
		o.kind, o.text = "", append(o.text, '"', '}', '\n')
	}
}

// Write queues one event with its newline, as a Writer writes it.
func (o *Outbox) Write(line []byte) (int, error) {
	o.Put(line[:len(line)-1])
	return len(line), nil
}

// write writes the lines to w. It swaps what waits for nothing under the lock and writes
// outside of it, so that Put never waits for w.
func (o *Outbox) write(w io.Writer) {
	var text []byte
	for {
		o.mu.Lock()
		for len(o.text) == 0 && !o.closed {
			o.change.Wait()
		}
		o.endDelta()
		text, o.text = o.text, text[:0]
		o.change.Broadcast()
		o.mu.Unlock()
		if len(text) == 0 {
			return
		}
		if _, err := w.Write(text); err != nil {
			o.fail(err)
			return
		}
		if cap(text) > 1<<20 {
			text = nil // one long line
		}
	}
}

// fail records the error of the writer, after which nothing is accepted.
func (o *Outbox) fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.err, o.text = err, nil
	o.change.Broadcast()
}

// End has the Outbox end once all is written.
func (o *Outbox) End() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	o.change.Broadcast()
}

// Close waits until everything is written and returns the writer's error. With a limit
// above 0 it waits no longer than that for a reader that has stopped. The error is then
// os.ErrDeadlineExceeded.
func (o *Outbox) Close(limit time.Duration) error {
	o.End()
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
