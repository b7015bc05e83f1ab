package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"ua/cmd/ua-think/internal/session"
	"ua/internal/common/prog"
)

// interruptible returns a context that SIGINT, SIGTERM and SIGHUP end, but for those
// that the caller (nohup, a background job) has set to be ignored. Its cause is
// then a prog.Exit.
func interruptible() (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	prog.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		if sig, ok := (<-signals).(syscall.Signal); ok {
			cancel(prog.Exit(128 + int(sig)))
		}
		// A group's signal and the driver's come together: they are one. Who
		// asks again later means it.
		time.Sleep(time.Second)
		signal.Stop(signals)
	}()
	return ctx, func() { cancel(nil) }
}

// await waits for do, which reads, or for the signal that ends ctx.
func await[T any](ctx context.Context, do func() (T, error)) (v T, err error) {
	done := make(chan struct{})
	var read T
	var failed error
	go func() {
		read, failed = do()
		close(done)
	}()
	select {
	case <-done:
		return read, failed
	case <-ctx.Done():
		return v, prog.Exit(session.Interrupted(ctx))
	}
}
