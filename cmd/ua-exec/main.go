// Ua-exec runs the commands that ua-gate has allowed and answers those that it has not.
// It is a filter of events (ua-events(5)) that adds a tool_result for every tool_call.
package main

import (
	"context"
	"syscall"
	"time"

	"ua/cmd/ua-exec/internal/options"
	"ua/cmd/ua-exec/internal/supervisor"
	"ua/internal/common/descriptor"
	"ua/internal/common/procfs"
	"ua/internal/common/prog"
)

func main() { prog.Main("ua-exec", run) }

// ownThreads is how many processes and threads ua-exec needs, with its supervisor and one
// command.
const ownThreads = 40

// run checks the options and the limit on processes, and does the work, under a
// supervisor if commands could outlive this program.
func run(env *prog.Env) error {
	o, err := options.Parse(env)
	if err != nil {
		return err
	}
	if most, ok := procfs.MayStart(ownThreads); !ok {
		return prog.Errorf(prog.TryLater,
			"at most %d processes and threads may run here, and that is "+
				"too few", most).Hintf("ua-exec itself needs about %d: see ulimit -u, and --pids "+
			"of ua-sandbox",
			ownThreads)
	}
	if supervisor.Needed() {
		return supervisor.Run(env, endings()...)
	}
	return serve(env, o)
}

// writeTime is how long the reader of our output may take for the results that are there
// when the run has ended.
const writeTime = 2 * time.Second

// serve reads calls and writes results until the input ends or a signal comes, and
// returns the error that the program ends with.
func serve(env *prog.Env, o *options.Options) error {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	x, err := newExecutor(ctx, env, o)
	if err != nil {
		return err
	}
	defer x.close()
	s := &stage{env: env, opts: o, exec: x, queue: newQueue()}
	watchSignals(cancel)
	if !o.Linger {
		go func() {
			descriptor.HungUp(env.Stdout)
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
	if o.Linger {
		x.linger()
	}
	x.end()
	return status(context.Cause(ctx), readErr, writeErr)
}
