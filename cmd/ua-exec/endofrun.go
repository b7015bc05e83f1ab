package main

import (
	"context"
	"errors"
	"syscall"
	"time"

	"ua/cmd/ua-exec/internal/process"
	"ua/internal/common/prog"
)

// interrupt takes in what earlier stages still say when a signal has reached them as
// well, and answers the call that is waiting for its verdict. After a short time no
// further line is taken.
func (s *stage) interrupt(cause error, input <-chan error) (err error) {
	s.queue.hurry()
	if !errors.Is(cause, syscall.EPIPE) {
		select {
		case err = <-input:
		case <-time.After(lastWords):
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.pending; c != nil && s.opts.above == "" {
		s.pending = nil
		s.answer(c, "refused", interrupted)
	}
	s.queue.close()
	return err
}

// status returns the error that the stage ends with. If nobody reads its output any more,
// nobody can read an error either.
func status(cause, readErr, writeErr error) error {
	var i interruption
	switch {
	case errors.As(cause, &i):
		return prog.Exit(128 + int(i.sig))
	case errors.Is(cause, syscall.EPIPE) || errors.Is(writeErr, syscall.EPIPE):
		return prog.Exit(128 + int(syscall.SIGPIPE))
	case writeErr != nil:
		return prog.Errorf(prog.Trouble, "stdout: %v", writeErr)
	case readErr != nil:
		return prog.Errorf(prog.Trouble, "stdin: %v", readErr)
	}
	return nil
}

// end waits for the calls, faster if the run's context has ended, and then ends all
// processes that are still running.
func (x *executor) end() {
	x.mu.Lock()
	x.closed = true
	x.change.Signal()
	x.mu.Unlock()
	<-x.ended
	grace := x.opts.grace
	if x.ctx.Err() != nil {
		grace = min(grace, hurry)
	}
	process.EndAll(x.processes.Descendants, grace)
	ctx, cancel := context.WithTimeout(context.Background(), hurry)
	defer cancel()
	x.background.wait(ctx) // for the records of how they have ended
}

// close releases what the executor holds open.
func (x *executor) close() {
	x.null.Close()
	x.withdrawAll()
	x.control.close()
}

// linger waits for all commands in the background, including those that they start, or
// for a signal. A client that has asked for the end of the last one still gets its
// answer.
func (x *executor) linger() {
	if !x.background.wait(x.ctx) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), hurry)
	defer cancel()
	x.control.places.Idle(ctx)
}
