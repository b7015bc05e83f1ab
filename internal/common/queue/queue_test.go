package queue

import (
	"bytes"
	"io"
	"os"
	"sync/atomic"
	"testing"
	"time"
)

// TestQueueIsBounded: who offers lines waits for a reader that is slow, and goes
// on when it reads or leaves.
func TestQueueIsBounded(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	q := New(w)
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
