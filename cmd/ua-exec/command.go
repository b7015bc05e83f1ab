package main

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
	"syscall"
	"time"
)

// An execution is one command from its start to its result.
type execution struct {
	*executor
	call    *call
	pid     int
	began   time.Time
	exited  <-chan ended
	pipe    *os.File
	keep    *keeper
	last    atomic.Int64  // when output came last, in ns since began
	drained chan struct{} // closed when keep holds all that came before the end
	ended   ended
	status  string
	limit   string    // "time" or "idle" when a limit ended it
	left    []process // what still runs
	took    time.Duration
}

// run runs the call to its end and returns the line of its result.
func (x *executor) run(c *call) []byte {
	if x.shell.sandbox == "" && !x.opts.unconfined {
		return answer(c, "refused", "ua-sandbox is neither beside ua-exec nor on PATH, so nothing was run (--unconfined runs commands without it)")
	}
	e := &execution{executor: x, call: c, drained: make(chan struct{}), keep: newKeeper(x.opts.outputMax), status: "run"}
	if err := e.start(); err != nil {
		if errors.Is(err, syscall.E2BIG) {
			return answer(c, "refused", "the command is longer than the kernel takes in one argument (128 KiB): put it into a file and run that")
		}
		return answer(c, "not_found", err.Error())
	}
	e.wait()
	e.finish()
	return e.result()
}

// start starts the command and the reading of its output.
func (e *execution) start() error {
	r, w, err := pipe()
	if err != nil {
		return err
	}
	defer syscall.Close(w)
	e.began = time.Now()
	argv := e.shell.command(e.call.command, e.call.profile)
	null := e.null.Fd()
	pid, exited, err := e.children.start(argv, e.environ.of(e.call), []uintptr{null, uintptr(w), uintptr(w)})
	if err != nil {
		r.Close()
		return err
	}
	e.pid, e.pipe, e.exited = pid, r, exited
	go e.read()
	return nil
}

// wait waits for the shell's end, and not for the end of its output, which
// what it left behind may hold open. A limit or the run's end ends it.
func (e *execution) wait() {
	limit := time.NewTimer(e.timeLimit())
	defer limit.Stop()
	idle := time.NewTimer(max(e.opts.idle, time.Nanosecond))
	defer idle.Stop()
	if e.opts.idle == 0 {
		idle.Stop()
	}
	for {
		select {
		case e.ended = <-e.exited:
			return
		case <-limit.C:
			e.stop("timeout", "time")
			return
		case <-idle.C:
			rest := e.opts.idle - (time.Since(e.began) - time.Duration(e.last.Load()))
			if rest <= 0 {
				e.stop("timeout", "idle")
				return
			}
			idle.Reset(rest)
		case <-e.ctx.Done():
			e.stop("interrupted", "")
			return
		}
	}
}

func (e *execution) timeLimit() time.Duration {
	if e.call.timeout == 0 {
		return e.opts.timeout
	}
	return min(e.call.timeout, e.opts.timeoutMax)
}

// stop ends the command's whole group: TERM, then KILL when the grace is over.
func (e *execution) stop(status, limit string) {
	e.status, e.limit = status, limit
	signalGroup(e.pid, syscall.SIGTERM)
	over := time.After(e.opts.grace)
	for exited := false; !exited || signalGroup(e.pid, 0); {
		select {
		case e.ended = <-e.exited:
			exited = true
		case <-over:
			signalGroup(e.pid, syscall.SIGKILL)
			if !exited {
				e.ended = <-e.exited
			}
			return
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// read moves the command's output from the pipe into keep. Once the shell has
// ended the pipe's deadline passes, and what the pipe still holds is all that
// belongs to the result.
func (e *execution) read() {
	defer e.pipe.Close()
	buf := make([]byte, 64<<10)
	for {
		n, err := e.pipe.Read(buf)
		e.keep.Write(buf[:n])
		e.last.Store(int64(time.Since(e.began)))
		if err == nil {
			continue
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			e.drain(buf)
		}
		close(e.drained)
		return
	}
}

// drain reads what was in the pipe when the shell had ended.
func (e *execution) drain(buf []byte) {
	conn, err := e.pipe.SyscallConn()
	if err != nil {
		return
	}
	conn.Control(func(fd uintptr) {
		for rest := pending(int(fd)); rest > 0; {
			n, err := syscall.Read(int(fd), buf[:min(len(buf), rest)])
			if err == syscall.EINTR {
				continue
			}
			if n <= 0 {
				return
			}
			e.keep.Write(buf[:n])
			rest -= n
		}
	})
}

// finish gathers the rest of the output, and what the command left running.
func (e *execution) finish() {
	e.took = time.Since(e.began)
	e.pipe.SetReadDeadline(time.Unix(1, 0))
	<-e.drained
}

var _ io.Writer = (*keeper)(nil)
