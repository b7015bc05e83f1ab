// Package output reads what commands print.
package output

import (
	"errors"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"ua/cmd/ua-exec/internal/pipe"
	"ua/internal/common/capture"
)

// An Output reads what a command prints. Until the end of the shell it goes into a
// capture; after that, if something holds the pipe open, into a ring.
type Output struct {
	pipe    *os.File
	Kept    *capture.Capture
	began   time.Time
	last    atomic.Int64 // when something came last, in ns since began
	drained chan bool    // gets whether the pipe is still open
	next    chan *capture.Ring
	Over    chan struct{} // closed when nothing more comes of it
	newest  *Newest       // gets it too; nil where nobody looks
}

// New begins to read from the pipe.
func New(pipe *os.File, began time.Time, n *Newest, o capture.Options) *Output {
	p := &Output{
		pipe: pipe, Kept: capture.New(o), began: began,
		drained: make(chan bool, 1), next: make(chan *capture.Ring, 1),
		Over: make(chan struct{}), newest: n,
	}
	go p.read()
	return p
}

// Quiet returns for how long nothing was printed.
func (o *Output) Quiet() time.Duration {
	return time.Since(o.began) - time.Duration(o.last.Load())
}

// Drain waits until Kept has everything that was printed up to now, and reports whether
// more may come because something holds the pipe open. It waits for that at most for the
// time wait.
func (o *Output) Drain(wait time.Duration) (more bool) {
	select {
	case more = <-o.drained:
		return more
	case <-time.After(wait):
	}
	o.pipe.SetReadDeadline(time.Unix(1, 0))
	return <-o.drained
}

// PassOn sends what still comes to a ring, or closes the pipe if that is nil.
func (o *Output) PassOn(r *capture.Ring) { o.next <- r }

// read moves output from the pipe into Kept until the pipe ends or its deadline passes.
// What is in the pipe at the deadline still belongs to the result.
func (o *Output) read() {
	defer close(o.Over)
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

// fill reads into Kept and reports whether the pipe is still open. A deadline in the past
// makes the read return (os.File.SetReadDeadline).
func (o *Output) fill() (open bool) {
	for size := 32 << 10; ; {
		buf := o.Kept.Space(size)
		n, err := o.pipe.Read(buf)
		o.newest.add(buf[:n])
		o.Kept.Write(buf[:n])
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
func (o *Output) control(do func(fd int)) {
	if conn, err := o.pipe.SyscallConn(); err == nil {
		conn.Control(func(fd uintptr) { do(int(fd)) })
	}
}

// rest reads what is in the pipe now, and reports whether the pipe is still open. A
// process that keeps printing cannot hold it up: no more is read than a pipe holds.
func (o *Output) rest() (open bool) {
	o.control(func(fd int) {
		for held := pipe.Size; held > 0; {
			buf := o.Kept.Space(32 << 10)
			n, err := syscall.Read(fd, buf)
			if err == syscall.EINTR {
				continue
			}
			if open = err == nil && n > 0 || err == syscall.EAGAIN; n <= 0 {
				return
			}
			o.Kept.Write(buf[:n])
			held -= n
		}
	})
	return open
}

// ring reads into the ring until the last process that holds the pipe has ended.
func (o *Output) ring(r *capture.Ring) {
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
