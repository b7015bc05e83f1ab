package command

import (
	"context"
	"os"
	"strconv"
	"syscall"
	"time"

	"ua/cmd/ua-exec/internal/process"
	"ua/internal/common/run"
)

// stop ends the command's whole process group and what has left that, such as an agent in
// the background: with SIGTERM, and with SIGKILL when the grace is over.
func (c *Command) stop(status, limit string) {
	grace := c.runner.Options.Grace
	if status == "interrupted" {
		grace = min(grace, hurried())
	}
	c.stopWithin(status, limit, grace)
}

// stopWithin is stop with a given grace. status and limit say in the result why. What is
// left outside of the group when the grace is over is killed by those who collect it. The
// number of a group that has ended may soon be another one's.
func (c *Command) stopWithin(status, limit string, grace time.Duration) {
	c.status, c.limit = status, limit
	over, done := c.runner.within(grace)
	defer done()
	all, others := c.leftBy(), process.Ending{Group: c.PID}
	process.SignalGroup(c.PID, syscall.SIGTERM)
	others.Ask(all)
	exited, group := false, true
	for !exited || group || others.Ask(c.leftBy()) {
		select {
		case c.Ended = <-c.exited:
			exited = true
		case <-over.Done():
			if group {
				process.SignalGroup(c.PID, syscall.SIGKILL)
			}
			if !exited {
				c.reap()
			}
			return
		case <-time.After(2 * time.Millisecond):
		}
		group = group && process.SignalGroup(c.PID, 0)
	}
}

// killTime is how long a shell may take to be gone after SIGKILL.
const killTime = 5 * time.Second

// reap waits for the end of a shell that was killed. One that the kernel does not let
// go, in a call to a disk that is gone or held by a tracer, has ended for the run.
func (c *Command) reap() {
	select {
	case c.Ended = <-c.exited:
	case <-time.After(killTime):
		c.Ended = process.Ended{Status: syscall.WaitStatus(syscall.SIGKILL)}
	}
}

// EndAll ends all processes that list returns, which have the grace for it.
func (r *Runner) EndAll(list func() []process.Process, grace time.Duration) {
	over, done := r.within(grace)
	defer done()
	process.EndAll(over, list)
}

// within returns a context that ends when the grace is over, which is soon once the run
// was told to end.
func (r *Runner) within(grace time.Duration) (over context.Context, done func()) {
	over, cancel := context.WithTimeout(context.Background(), grace)
	stop := context.AfterFunc(r.Ctx, func() { time.AfterFunc(hurried(), cancel) })
	return over, func() { stop(); cancel() }
}

// Hurry is the longest grace period once the run was told to end. It is halved for each
// run above, at most hurryHalved times.
const (
	Hurry       = 400 * time.Millisecond
	hurryHalved = 3
)

// hurried returns the longest grace once the run was told to end. The run above gives this
// one as long as it gives its other commands, so each run has half the time of the one
// above, and the other half for its own end.
func hurried() time.Duration {
	above, _ := strconv.Atoi(os.Getenv(run.EnvDepth))
	return Hurry >> max(0, min(above-1, hurryHalved))
}
