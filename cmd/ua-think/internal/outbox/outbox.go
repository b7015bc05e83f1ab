// Package outbox writes events without making their source wait.
package outbox

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"ua/internal/common/event"
)

// An Outbox takes events without making its caller wait, and writes them in order as fast
// as they are read. A full pipe therefore never stalls the model's stream. The limits of
// an answer bound what it holds. Waiting deltas are joined, so that a slow reader gets
// fewer and longer ones. After a failed write it accepts nothing more. It is no
// queue.Queue, in which a line that waits stays as it is, and which tells nobody when all
// is written, or that writing failed.
type Outbox struct {
	mu     sync.Mutex
	wake   *sync.Cond
	text   []byte // lines that wait
	kind   string // of the delta at their end, to which more may be added; "" for none
	delta  int    // where that begins
	closed bool
	err    error // of the writer
	done   chan struct{}
}

// maxDelta limits the escaped text of one delta line, in bytes.
const maxDelta = 256 << 10

// New returns an Outbox that writes to w until Close.
func New(w io.Writer) *Outbox {
	o := &Outbox{done: make(chan struct{})}
	o.wake = sync.NewCond(&o.mu)
	go o.write(w)
	return o
}

// Add queues one event.
func (o *Outbox) Add(line []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		o.endDelta()
		o.text = append(append(o.text, line...), '\n')
		o.wake.Signal()
	}
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
		o.text = fmt.Appendf(o.text, `{"type":"delta","ts":%q,"kind":%q,"text":"`, event.Now(), kind)
	}
	o.text = append(o.text, escaped...)
	o.wake.Signal()
}

// endDelta ends the line of a delta.
func (o *Outbox) endDelta() {
	if o.kind != "" {
		o.kind, o.text = "", append(o.text, '"', '}', '\n')
	}
}

// A Writer passes lines to an Outbox. Each write must be one line with its newline.
type Writer struct{ Outbox *Outbox }

// Write adds one line.
func (w Writer) Write(line []byte) (int, error) {
	w.Outbox.Add(line[:len(line)-1])
	return len(line), nil
}

// write writes the lines to w. It swaps what waits for nothing under the lock and writes
// outside of it, so that Add never waits for w.
func (o *Outbox) write(w io.Writer) {
	defer close(o.done)
	var text []byte
	for {
		o.mu.Lock()
		for len(o.text) == 0 && !o.closed {
			o.wake.Wait()
		}
		o.endDelta()
		text, o.text = o.text, text[:0]
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
	o.err = err
}

// Close waits until everything is written and returns the writer's error. With a limit
// above 0 it waits no longer than that for a reader that has stopped. The error is then
// os.ErrDeadlineExceeded.
func (o *Outbox) Close(limit time.Duration) error {
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
