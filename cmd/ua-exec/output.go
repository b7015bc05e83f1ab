package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"regexp"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"ua/cmd/ua-exec/internal/pipe"
	"ua/internal/common/capture"
	"ua/internal/common/jobs"
)

// An output reads what a command prints. Until the end of the shell it goes into a
// capture; after that, if something holds the pipe open, into a ring.
type output struct {
	pipe    *os.File
	kept    *capture.Capture
	began   time.Time
	last    atomic.Int64 // when something came last, in ns since began
	drained chan bool    // gets whether the pipe is still open
	next    chan *capture.Ring
	over    chan struct{} // closed when nothing more comes of it
	recent  *recent       // gets it too; nil where nobody looks
}

// newOutput begins to read from the pipe.
func newOutput(pipe *os.File, began time.Time, r *recent, o capture.Options) *output {
	p := &output{
		pipe: pipe, kept: capture.New(o), began: began,
		drained: make(chan bool, 1), next: make(chan *capture.Ring, 1),
		over: make(chan struct{}), recent: r,
	}
	go p.read()
	return p
}

// quiet returns for how long nothing was printed.
func (o *output) quiet() time.Duration {
	return time.Since(o.began) - time.Duration(o.last.Load())
}

// drain waits until kept has everything that was printed up to now, and reports whether
// more may come because something holds the pipe open. It waits for that at most for the
// time wait.
func (o *output) drain(wait time.Duration) (more bool) {
	select {
	case more = <-o.drained:
		return more
	case <-time.After(wait):
	}
	o.pipe.SetReadDeadline(time.Unix(1, 0))
	return <-o.drained
}

// passOn sends what still comes to a ring, or closes the pipe if that is nil.
func (o *output) passOn(r *capture.Ring) { o.next <- r }

// read moves output from the pipe into kept until the pipe ends or its deadline passes.
// What is in the pipe at the deadline still belongs to the result.
func (o *output) read() {
	defer close(o.over)
	defer o.pipe.Close()
	open := o.fill()
	o.drained <- open
	if !open {
		return
	}
	if ring := <-o.next; ring != nil {
		o.ring(ring)
	}
}

// fill reads into kept and reports whether the pipe is still open. A deadline in the past
// makes the read return (os.File.SetReadDeadline).
func (o *output) fill() (open bool) {
	for size := 32 << 10; ; {
		buf := o.kept.Space(size)
		n, err := o.pipe.Read(buf)
		o.recent.add(buf[:n])
		o.kept.Write(buf[:n])
		o.last.Store(int64(time.Since(o.began)))
		if err != nil {
			return errors.Is(err, os.ErrDeadlineExceeded) && o.rest()
		}
		if n == size && size < 256<<10 {
			size = 256 << 10 // this one prints a lot
			o.control(pipe.Widen)
		}
	}
}

// control calls do with the descriptor of the pipe.
func (o *output) control(do func(fd int)) {
	if conn, err := o.pipe.SyscallConn(); err == nil {
		conn.Control(func(fd uintptr) { do(int(fd)) })
	}
}

// rest reads what is in the pipe now, and reports whether the pipe is still open. A
// process that keeps printing cannot hold it up: what comes later is not read.
func (o *output) rest() (open bool) {
	o.control(func(fd int) {
		for held := pipe.Pending(fd); held >= 0; {
			buf := o.kept.Space(32 << 10)
			n, err := syscall.Read(fd, buf)
			if err == syscall.EINTR {
				continue
			}
			if open = err == syscall.EAGAIN; n <= 0 {
				return
			}
			o.kept.Write(buf[:n])
			held -= n
		}
		open = true
	})
	return open
}

// ring reads into the ring until the last process that holds the pipe has ended.
func (o *output) ring(r *capture.Ring) {
	defer r.Close()
	buf := make([]byte, 32<<10)
	o.pipe.SetReadDeadline(time.Time{})
	for {
		n, err := o.pipe.Read(buf)
		r.Write(buf[:n])
		if err != nil {
			return
		}
	}
}

// A wake counts the lines of a job that match a pattern (ua job start --wake) in the job's
// record, where what drives the run reads it.
type wake struct {
	pattern *regexp.Regexp // nil: nothing is counted
	line    []byte         // what has come of the last one
	mu      sync.Mutex     // held while the record is changed
	record  *jobs.Record   // nil before it is there
}

// wakePattern returns the pattern of a request, nil for none.
func wakePattern(text string) (re *regexp.Regexp, err error) {
	if text == "" {
		return nil, nil
	}
	if re, err = regexp.Compile(text[:min(len(text), wakeMax)]); err != nil {
		err = fmt.Errorf("--wake: %w", err)
	}
	return re, err
}

// look counts the lines of the job's output that are complete now. Of a very long one it sees
// the beginning.
func (e *execution) look(p []byte) {
	for w := &e.wake; w.pattern != nil; {
		part, rest, whole := bytes.Cut(p, []byte{'\n'})
		w.line = append(w.line, part[:min(len(part), wakeLine-len(w.line))]...)
		if !whole {
			return
		}
		if w.pattern.Match(w.line) {
			e.matched(string(w.line))
		}
		w.line, p = w.line[:0], rest
	}
}

// matched writes down a line that matches.
func (e *execution) matched(line string) {
	e.wake.mu.Lock()
	defer e.wake.mu.Unlock()
	r := e.wake.record
	r.Matches, r.Matched = r.Matches+1, line
	if e.record != "" {
		e.x.folder.Record(e.call.id, e.record, r)
	}
}

// stderrMark begins the lines of a background command's stderr.
const stderrMark = "[stderr] "

// markStderr gives a background command a stderr of its own. Its lines go to the
// command's output, into, with a mark, so that the complaints of a server can be told
// from the rest. It returns the command's end.
func markStderr(into int) (w int, err error) {
	to, err := syscall.Dup(into)
	if err != nil {
		return 0, os.NewSyscallError("dup", err)
	}
	syscall.CloseOnExec(to)
	r, w, err := pipe.New()
	if err != nil {
		syscall.Close(to)
		return 0, err
	}
	go func() {
		defer r.Close()
		out := os.NewFile(uintptr(to), "output")
		defer out.Close()
		m, buf := marker{begins: true}, make([]byte, 32<<10)
		for {
			n, err := r.Read(buf)
			if _, failed := out.Write(m.mark(buf[:n])); err != nil || failed != nil {
				return
			}
		}
	}()
	return w, nil
}

// A marker puts stderrMark in front of each line of a stream.
type marker struct {
	begins bool // the next byte begins a line
	buf    []byte
}

// mark returns the next part of the stream with marks. The slice is valid until the next
// call.
func (m *marker) mark(p []byte) []byte {
	m.buf = m.buf[:0]
	for line := range bytes.Lines(p) {
		if m.begins {
			m.buf = append(m.buf, stderrMark...)
		}
		m.buf = append(m.buf, line...)
		m.begins = line[len(line)-1] == '\n'
	}
	return m.buf
}
