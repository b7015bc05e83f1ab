package main

import (
	"context"

	"ua/cmd/ua-think/internal/session"
	"ua/internal/common/prog"
)

// await waits for do, which reads, or for the signal that ends ctx. A read cannot be
// interrupted, so do may still be running when await returns; its result is then not
// used.
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
