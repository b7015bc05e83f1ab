package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"ua/internal/common/prog"
)

// An interruption is the signal that ended the run.
type interruption struct{ sig syscall.Signal }

func (i interruption) Error() string { return i.sig.String() }

// endings returns the signals that end the run.
func endings() []os.Signal { return []os.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} }

// watchSignals ends the run at one of endings, from now on: a call that has been passed on
// has its result. SIGPIPE and SIGXFSZ become a
// write's error, so that a gone reader or a full file does not end this program
// before its commands.
func watchSignals(cancel context.CancelCauseFunc) {
	ch := make(chan os.Signal, 4)
	prog.Notify(ch, endings()...)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE, syscall.SIGXFSZ)
	go func() {
		sig := <-ch
		cancel(interruption{sig.(syscall.Signal)})
	}()
}
