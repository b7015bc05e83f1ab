package main

import (
	"context"
	"errors"
	"syscall"
	"time"

	"ua/cmd/ua-exec/internal/pipe"
	"ua/internal/common/prog"
)

// serve returns the program's life between its options and its exit status.
func serve(env *prog.Env, o *options, environ []string) error {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	x, err := newExecutor(ctx, env, o, environ)
	if err != nil {
		return err
	}
	defer x.close()
	s := &stage{env: env, opts: o, exec: x, queue: newQueue(), begun: map[string]*job{}}
	watchSignals(cancel)
	if !o.linger {
		go func() {
			pipe.HungUp(int(env.Stdout.Fd()))
			cancel(syscall.EPIPE)
		}()
	}
	input := make(chan error, 1)
	go func() { input <- s.read() }()
	written := make(chan error, 1)
	go func() { written <- s.write(cancel) }()

	var readErr, writeErr error
	select {
	case readErr = <-input:
	case <-ctx.Done():
		x.end()
		readErr = s.interrupt(context.Cause(ctx), input)
	}
	s.queue.close()
	select {
	case writeErr = <-written:
	case <-ctx.Done():
		select {
		case writeErr = <-written:
		case <-time.After(writeTime): // nobody reads
		}
	}
	if o.linger {
		x.linger()
	}
	x.end()
	return status(context.Cause(ctx), readErr, writeErr)
}

// interrupt takes up what the earlier stages still say when a signal has reached
// them too, and answers the call that waits for its verdict. The line that is
// being taken up then is the last one.
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

// status returns the error that the stage ends with. Nobody is there to read it
// when the reader of its output is gone.
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
