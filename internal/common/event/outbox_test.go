package event

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// A tap is a writer that waits until it is opened, and remembers each write.
type tap struct {
	open   chan struct{}
	mu     sync.Mutex
	writes [][]byte
	begun  chan struct{} // closed at the first write
	once   sync.Once
}

func newTap() *tap { return &tap{open: make(chan struct{}), begun: make(chan struct{})} }

func (w *tap) Write(p []byte) (int, error) {
	w.once.Do(func() { close(w.begun) })
	<-w.open
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writes = append(w.writes, bytes.Clone(p))
	return len(p), nil
}

func (w *tap) text() string { return string(bytes.Join(w.writes, nil)) }

// TestOrder writes events and deltas in the order in which they came, each on a line.
func TestOrder(t *testing.T) {
	var out bytes.Buffer
	o := NewOutbox(&out)
	o.AddDelta("thinking", `a\n`)
	o.AddDelta("text", "b")
	o.Put([]byte(`{"type":"tool_call"}`))
	o.AddDelta("text", "c")
	o.AddDelta("text", "")
	o.Write([]byte(`{"type":"error"}` + "\n"))
	if err := o.Close(0); err != nil {
		t.Fatal(err)
	}
	var got []string
	for line := range strings.Lines(out.String()) {
		ev := gjson.Parse(line)
		if !gjson.Valid(line) {
			t.Errorf("no JSON: %q", line)
		}
		got = append(got, ev.Get("type").Str+" "+ev.Get("kind").Str+" "+ev.Get("text").Str)
	}
	want := []string{"delta thinking a\n", "delta text b", "tool_call  ", "delta text c", "error  "}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("%q", got)
	}
}

// TestSlowReader: who adds never waits for a reader, and what waits is joined.
func TestSlowReader(t *testing.T) {
	w := newTap()
	o := NewOutbox(w)
	o.Put([]byte("first"))
	<-w.begun // it waits in the pipe now
	const each = 1000
	for range 3 * each {
		o.AddDelta("text", "x")
	}
	o.Put([]byte(strings.Repeat("long", 4<<10)))
	if err := o.Close(time.Millisecond); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a reader that has stopped: %v", err)
	}
	close(w.open)
	if err := o.Close(0); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(w.text()), "\n")
	if len(lines) != 3 || lines[0] != "first" ||
		len(gjson.Get(lines[1], "text").Str) != 3*each || lines[2] != strings.Repeat("long", 4<<10) {
		t.Errorf("%d lines: %.200q", len(lines), lines)
	}
}

// TestLongDelta cuts what waits into lines that any reader takes.
func TestLongDelta(t *testing.T) {
	w := newTap()
	o := NewOutbox(w)
	o.Put([]byte("first"))
	<-w.begun
	piece := strings.Repeat("y", maxDelta/4)
	for range 12 {
		o.AddDelta("text", piece)
	}
	close(w.open)
	if err := o.Close(0); err != nil {
		t.Fatal(err)
	}
	size := 0
	for line := range strings.Lines(w.text()) {
		size += len(gjson.Get(line, "text").Str)
		if len(line) > 2*maxDelta {
			t.Errorf("a line of %d bytes", len(line))
		}
	}
	if size != 12*len(piece) {
		t.Errorf("%d of %d bytes", size, 12*len(piece))
	}
}

// TestBrokenReader: after a failed write nothing more is taken, and Close tells.
func TestBrokenReader(t *testing.T) {
	r, w := io.Pipe()
	r.CloseWithError(io.ErrClosedPipe)
	o := NewOutbox(w)
	o.Put([]byte("lost"))
	if err := o.Close(0); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("%v", err)
	}
	o.Put([]byte("more"))
	o.AddDelta("text", "more")
	if err := o.Close(0); !errors.Is(err, io.ErrClosedPipe) || len(o.text) > 0 {
		t.Errorf("%v, %q", err, o.text)
	}
}

// TestBounded: who offers lines waits for a reader that is slow, and goes
// on when it reads or leaves.
func TestBounded(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	q := OutboxTo(w)
	line := bytes.Repeat([]byte("x"), 1<<20)
	var offered atomic.Int32
	go func() {
		for range 100 {
			q.Offer(line)
			offered.Add(1)
		}
		q.End()
	}()
	time.Sleep(100 * time.Millisecond)
	if n := offered.Load(); n == 0 || n > 20 {
		t.Errorf("%d lines of 1 MiB are held", n)
	}
	if n, err := io.Copy(io.Discard, io.LimitReader(r, 50<<20)); n != 50<<20 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	r.Close()
	select {
	case <-q.done:
	case <-time.After(20 * time.Second):
		t.Error("the queue still waits for a reader that has left")
	}
}
