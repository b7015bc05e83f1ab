package main

import (
	"context"
	"sync"

	"ua/cmd/ua-exec/internal/call"
	"ua/cmd/ua-exec/internal/command"
	"ua/cmd/ua-exec/internal/job"
	"ua/cmd/ua-exec/internal/options"
	"ua/cmd/ua-exec/internal/process"
	"ua/internal/common/event"
	"ua/internal/common/procfs"
	"ua/internal/common/prog"
	"ua/internal/common/verdict"
)

// An executor runs commands one after the other. Commands that only read may run side by
// side.
type executor struct {
	*command.Runner
	out   *event.Writer // of results
	jobs  *job.Socket
	spare procfs.Reserve

	mu     sync.Mutex
	last   chan struct{} // closed when the last call that has come begins
	closed bool          // no call comes any more
	calls  sync.WaitGroup
	slots  chan struct{} // of calls that only read
	alone  sync.RWMutex
}

// newExecutor returns an executor that accepts calls until end.
func newExecutor(ctx context.Context, env *prog.Env, o *options.Options) (*executor, error) {
	r, err := command.NewRunner(ctx, env, o)
	if err != nil {
		return nil, err
	}
	out := event.NewWriter(env.Stdout)
	x := &executor{
		Runner: r, out: out, jobs: job.NewSocket(r, out), slots: make(chan struct{}, o.Jobs),
	}
	// Commands could use up all processes before a timer would make the procfs.
	if procfs.FewPids() {
		go x.spare.Fill()
	}
	return x, nil
}

// interrupted is the answer to calls whose turn did not come.
const interrupted = "the run was interrupted before this call's turn, so it was not run"

// submit has the call run when it is its turn. Calls begin in order. A read_only call may run
// beside others of its kind, as far as there are slots; any other call runs alone.
func (x *executor) submit(c *call.Call) *queuedCall {
	q := &queuedCall{call: c, done: make(chan struct{})}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		q.finish(c.NotRun("refused", interrupted))
		return q
	}
	before, begun := x.last, make(chan struct{})
	x.last = begun
	x.calls.Go(func() {
		if before != nil {
			<-before
		}
		if c.Risk == verdict.ReadOnly {
			x.slots <- struct{}{}
			defer func() { <-x.slots }()
			x.alone.RLock()
			defer x.alone.RUnlock()
		} else {
			x.alone.Lock()
			defer x.alone.Unlock()
		}
		close(begun)
		q.finish(x.execute(q))
	})
	return q
}

// execute runs the call to its end, or leaves it in the background, and returns the line of
// its result. Processes that earlier commands have left are counted first, since too many
// of them end.
func (x *executor) execute(q *queuedCall) []byte {
	switch {
	case x.Ctx.Err() != nil:
		return q.call.NotRun("refused", interrupted)
	case x.Shell.Sandbox == "" && !x.Options.Unconfined:
		return q.call.NotRun("refused", "ua-sandbox is neither beside ua-exec nor on PATH, "+
			"so nothing was run (--unconfined runs commands without it)")
	}
	if q.call.Background || q.call.Delegates {
		x.jobs.Open()
	}
	c := x.Command(q.call)
	if x.Options.Progress {
		c.Newest = &q.newest
	}
	c.Sweep()
	soon := x.spare.FillSoon()
	defer func() {
		if process.Childless() { // what a command left may need them filled yet
			soon.Stop()
		}
	}()
	if err := c.Start(); err != nil {
		return q.call.NotRun("refused", command.NotStarted(err))
	}
	if !q.call.Background {
		c.Wait(c.TimeLimit(), x.Options.Idle)
	} else if x.Options.Linger || c.Settle() {
		return x.jobs.Leave(c)
	}
	return c.Finish()
}

// end waits for the calls, and then ends all processes that are still running. Once the
// run's context has ended, all are asked to end at the same time, since whoever ends the
// run does not wait long.
func (x *executor) end() {
	x.mu.Lock()
	x.closed = true
	x.mu.Unlock()
	x.Background.Close()
	ended := make(chan struct{})
	go func() {
		x.calls.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-x.Ctx.Done():
		x.EndAll(x.Children.Leftovers, x.Options.Grace)
		<-ended
	}
	if x.Ctx.Err() != nil {
		x.recorded()
	}
	x.EndAll(x.Children.Descendants, x.Options.Grace)
	x.recorded()
}

// recorded waits a moment for the records of how commands in the background have ended.
func (x *executor) recorded() {
	ctx, cancel := context.WithTimeout(context.Background(), command.Hurry)
	defer cancel()
	x.Background.Wait(ctx)
}

// close releases what the executor holds open.
func (x *executor) close() {
	x.Runner.Close()
	x.jobs.Close()
}

// linger waits for all commands in the background, including those that they start, or
// for a signal. A client that has asked for the end of the last one still gets its
// answer.
func (x *executor) linger() {
	if !x.Background.Wait(x.Ctx) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), command.Hurry)
	defer cancel()
	x.jobs.Idle(ctx)
}
