package queue

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
)

// reader returns a queue and what reads it.
func reader(t *testing.T) (*Queue, *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return New(w), r
}

// TestOrder: lines of many writers come whole, once, and in the order of each writer, whatever
// the reader's pace; the file ends when all are written.
func TestOrder(t *testing.T) {
	q, r := reader(t)
	const writers, each = 8, 120
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				line := fmt.Appendf(nil, "%d %d %s", w, i, strings.Repeat("x", i*i%5000))
				if i%2 == 0 {
					q.Put(line)
				} else {
					q.Offer(line)
				}
			}
		})
	}
	go func() { wg.Wait(); q.End() }()
	next := [writers]int{}
	lines := bufio.NewReaderSize(r, 16)
	for {
		line, err := lines.ReadString('\n')
		if err == io.EOF && line == "" {
			break
		}
		var w, i int
		var rest string
		n, _ := fmt.Sscanf(line, "%d %d %s\n", &w, &i, &rest)
		if n < 2 || i != next[w] || len(rest) != i*i%5000 || err != nil {
			t.Fatalf("%.40q %v, want number %d of %d", line, err, next[w], w)
		}
		next[w]++
	}
	for w, n := range next {
		if n != each {
			t.Errorf("%d lines of writer %d", n, w)
		}
	}
}

// TestEnd: what was put before the end is written; what comes after it is not, and nobody waits.
func TestEnd(t *testing.T) {
	q, r := reader(t)
	for range 100 {
		q.Put([]byte("before"))
	}
	q.End()
	q.End()
	q.Put([]byte("after"))
	q.Offer([]byte("after"))
	text, err := io.ReadAll(r)
	if err != nil || string(text) != strings.Repeat("before\n", 100) {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	<-q.done
	empty, r := reader(t)
	empty.End()
	if text, err := io.ReadAll(r); len(text) > 0 || err != nil {
		t.Errorf("%q %v", text, err)
	}
}

// TestReaderGone: a stage that has ended takes nothing, holds up nobody and costs no memory.
func TestReaderGone(t *testing.T) {
	q, r := reader(t)
	line := make([]byte, 1<<20)
	q.Put(line)                                        // more than a pipe takes
	if _, err := r.Read(make([]byte, 1)); err != nil { // it is being written
		t.Fatal(err)
	}
	q.Put(line)
	r.Close()
	<-q.done
	for range 1000 {
		q.Offer(line)
		q.Put(line)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err == nil || len(q.lines) > 0 || q.size > fullQueue {
		t.Errorf("%v, %d lines of %d bytes are held", q.err, len(q.lines), q.size)
	}
}
