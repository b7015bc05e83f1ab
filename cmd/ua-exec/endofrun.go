package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"
	"ua/cmd/ua-exec/internal/process"
	"ua/internal/common/prog"

	agent "ua/internal/common/run"
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
		s.reply(c, "refused", interrupted)
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

// end waits for the calls, and then ends all processes that are still running. Once the
// run's context has ended, all are asked to end at the same time, since whoever ends the
// run does not wait long.
func (x *executor) end() {
	x.mu.Lock()
	x.closed = true
	x.mu.Unlock()
	ended := make(chan struct{})
	go func() {
		x.calls.Wait()
		close(ended)
	}()
	left := make(chan struct{})
	go func() {
		defer close(left)
		select {
		case <-ended:
		case <-x.ctx.Done():
			x.endAll(x.processes.Leftovers, x.opts.grace)
		}
	}()
	<-ended
	<-left
	if x.ctx.Err() != nil {
		x.recorded()
	}
	x.endAll(x.processes.Descendants, x.opts.grace)
	x.recorded()
}

// recorded waits a moment for the records of how commands in the background have ended.
func (x *executor) recorded() {
	ctx, cancel := context.WithTimeout(context.Background(), hurry)
	defer cancel()
	x.background.wait(ctx)
}

// endAll ends all processes that list returns, which have the grace for it.
func (x *executor) endAll(list func() []process.Process, grace time.Duration) {
	over, done := x.within(grace)
	defer done()
	process.EndAll(over, list)
}

// within returns a context that ends when the grace is over, which is soon once the run
// was told to end.
func (x *executor) within(grace time.Duration) (over context.Context, done func()) {
	over, cancel := context.WithTimeout(context.Background(), grace)
	stop := context.AfterFunc(x.ctx, func() { time.AfterFunc(x.hurried(), cancel) })
	return over, func() { stop(); cancel() }
}

// hurried returns the longest grace once the run was told to end. The run above gives this
// one as long as it gives its other commands, so each run has half the time of the one
// above, and the other half for its own end.
func (x *executor) hurried() time.Duration {
	above, _ := strconv.Atoi(os.Getenv(agent.EnvDepth))
	return hurry >> max(0, min(above-1, hurryHalved))
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

// An interruption is the signal that has ended the run.
type interruption struct{ sig syscall.Signal }

// Error returns the name of the signal.
func (i interruption) Error() string { return i.sig.String() }

// endings returns the signals that end the run.
func endings() []os.Signal {
	return []os.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT}
}

// watchSignals makes those signals end the run from now on; a call that was passed on
// still gets its result. SIGPIPE and SIGXFSZ become errors of a write, so that a reader
// that is gone, or a full file, does not end this program before its commands.
func watchSignals(cancel context.CancelCauseFunc) {
	ch := make(chan os.Signal, 4)
	prog.Notify(ch, endings()...)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE, syscall.SIGXFSZ)
	go func() {
		sig := <-ch
		cancel(interruption{sig.(syscall.Signal)})
	}()
}
