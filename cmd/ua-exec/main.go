// Ua-exec runs the commands that ua-gate let through and answers those that it
// did not: a filter of events (ua-events(5)) that adds a tool_result for every
// tool_call.
package main

import (
	"context"
	"os"
	"syscall"
	"time"

	"ua/cmd/ua-exec/internal/pipe"
	"ua/internal/common/procfs"
	"ua/internal/common/prog"
)

func main() { prog.Main("ua-exec", run) }

func run(env *prog.Env) error {
	o, err := parse(env)
	if err != nil {
		return err
	}
	if most, ok := procfs.Room(ownThreads); !ok {
		return prog.Errorf(prog.TryLater,
			"at most %d processes and threads may run here, and that is "+
				"too few", most).Hintf("ua-exec itself needs about %d: see ulimit -u, and --pids "+
			"of ua-sandbox",
			ownThreads)
	}
	if needsSupervisor() {
		return supervise(env)
	}
	return serve(env, o, os.Environ())
}

// serve returns the program's life between its options and its exit status.
func serve(env *prog.Env, o *options, environ []string) error {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	x, err := newExecutor(ctx, env, o, environ)
	if err != nil {
		return err
	}
	defer x.close()
	s := &stage{env: env, opts: o, exec: x, queue: newQueue(), begun: map[string]*queuedCall{}}
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
