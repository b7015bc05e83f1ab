package main

import (
	"errors"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"ua/cmd/ua-exec/internal/pipe"
	"ua/internal/common/capture"
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
