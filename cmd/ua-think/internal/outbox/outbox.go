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
	lines  [][]byte // parts of lines, in order
	kind   string   // of the delta that waits
	delta  []byte   // its text, escaped for JSON
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

// Add queues one event, given as the parts of its line. The caller must not change the
// parts afterwards: they are not copied.
func (o *Outbox) Add(parts ...[]byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		o.endDelta()
		o.lines = append(append(o.lines, parts...), newline)
		o.wake.Signal()
	}
}

// newline ends every line.
var newline = []byte{'\n'}

// AddDelta queues a delta of a kind. escaped is its text as it stands between the quotes
// of a JSON string.
func (o *Outbox) AddDelta(kind, escaped string) {
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

// A Writer passes lines to an Outbox. Each write must be one line with its newline.
type Writer struct{ Outbox *Outbox }

// Write adds one line.
func (w Writer) Write(line []byte) (int, error) {
	w.Outbox.Add(append([]byte(nil), line[:len(line)-1]...))
	return len(line), nil
}

// endDelta turns the waiting delta into a line.
func (o *Outbox) endDelta() {
	if len(o.delta) == 0 {
		return
	}
	line := make([]byte, 0, len(o.delta)+96)
	line = fmt.Appendf(line, `{"type":"delta","ts":%q,"kind":%q,"text":"`, event.Now(), o.kind)
	o.lines = append(o.lines, append(append(line, o.delta...), '"', '}', '\n'))
	if o.delta = o.delta[:0]; cap(o.delta) > maxDelta {
		o.delta = nil
	}
}

// write writes the lines to w and joins small ones into one write. It swaps the queue for
// an empty one under the lock and writes outside of it, so that Add never waits for w.
func (o *Outbox) write(w io.Writer) {
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
			// The slice is used again, and must not keep a written line in memory.
			lines[i] = nil
			if len(buf)+len(part) > cap(buf) && err == nil {
				_, err = w.Write(buf)
				buf = buf[:0]
			}
			// A part that is larger than the buffer is not copied.
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
			o.fail(err)
			return
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
