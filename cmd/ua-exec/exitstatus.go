package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"ua/internal/common/prog"
)

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
