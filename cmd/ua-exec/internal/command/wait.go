package command

import (
	"syscall"
	"time"

	"ua/cmd/ua-exec/internal/landing"
	"ua/cmd/ua-exec/internal/process"
	"ua/internal/common/capture"
	"ua/internal/common/jobs"
	"ua/internal/common/verdict"
)

// Sweep ends what earlier commands have left running if it is too much, and withdraws the
// credentials of those that have left nothing.
func (c *Command) Sweep() {
	c.strays += c.runner.Children.EndStrays()
	c.runner.Credentials.WithdrawEnded()
}

// TimeLimit returns how long the command may take: what its call asks for, up to the
// maximum.
func (c *Command) TimeLimit() time.Duration {
	if c.Call.Timeout == 0 {
		return c.runner.Options.Timeout
	}
	return min(c.Call.Timeout, c.runner.Options.TimeoutMax)
}

// Wait waits for the end of the shell, or ends the command: at the limit (0: none) or after
// the time idle without output (0: any), with the run, or because ua job asks for that. It
// does not wait for the end of the output, which a process that was left behind may hold open.
func (c *Command) Wait(limit, idle time.Duration) {
	after := func(d time.Duration) *time.Timer {
		t := time.NewTimer(d)
		if d == 0 {
			t.Stop()
		}
		return t
	}
	late, quiet := after(limit), after(idle)
	defer late.Stop()
	defer quiet.Stop()
	look := time.NewTicker(process.LookAtStrays)
	defer look.Stop()
	for {
		select {
		case c.Ended = <-c.exited:
			return
		case <-look.C:
			if c.status == "run" {
				c.Sweep()
			}
			most := c.runner.Options.PidsMax
			if most > 0 && c.runner.Children.EndCrowd(c.PID, most) {
				c.limit = "pids"
			}
			continue
		case <-late.C:
			c.stop("timeout", "time")
		case <-quiet.C:
			// The timer is set once and not at each output, so it may be early.
			if rest := idle - c.Output.Quiet(); rest > 0 {
				quiet.Reset(rest)
				continue
			}
			c.stop("timeout", "idle")
		case grace := <-c.Asked: // nil but for a command in the background
			c.stopWithin("stopped", "", grace)
		case <-c.runner.Ctx.Done():
			c.stop("interrupted", "")
		}
		return
	}
}

// Settle reports whether a background command is still running after jobs.SettleTime, or
// when the run ends.
func (c *Command) Settle() bool {
	select {
	case c.Ended = <-c.exited:
		return false
	case <-c.runner.Ctx.Done():
		return true
	case <-time.After(jobs.SettleTime):
		return true
	}
}

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

// Finish collects what a command that has ended leaves behind, and returns its result. The
// processes that are still running may be ending, so they are looked at again after a moment.
func (c *Command) Finish() []byte {
	c.took = time.Since(c.Began)
	c.collect()
	more := c.Output.Drain(stragglers)
	if len(c.Left) > 0 {
		if !more {
			time.Sleep(2 * time.Millisecond) // they closed the pipe: they may be ending
		}
		c.Left = c.leftBy()
	}
	c.tell()
	if c.strays += c.runner.Children.EndStrays(); c.strays > 0 {
		c.Left = c.leftBy()
	}
	got := c.Output.Kept.Close(more)
	c.runner.Folder.Count(got.File)
	if more {
		c.keepLater("", true, nil)
	}
	if c.Call.Profile != verdict.ProfileReadOnly {
		c.unlanded = c.runner.landing.Ask(landing.Land)
	}
	return c.Result(got)
}

// stragglers is how long processes that the shell left behind, such as a tee in a process
// substitution, may take to end their output.
const stragglers = 100 * time.Millisecond

// GoOn lets the command run on in the background. It returns what it has printed so far, and
// the path of the ring in which that and the rest is kept, or "". look sees what comes.
func (c *Command) GoOn(look func([]byte)) (got *capture.Result, log string) {
	c.took, c.status = time.Since(c.Began), "background"
	more := c.Output.Drain(0)
	if got = c.Output.Kept.Close(more); more || got.Text != "" {
		c.keepLater(got.Text, more, look)
	}
	return got, c.later
}

// FinishLater collects what a command in the background that has ended leaves behind. Who is
// told that it has ended finds all that it has printed.
func (c *Command) FinishLater() {
	c.collect()
	c.tell()
	if len(c.Left) == 0 {
		select {
		case <-c.Output.Over:
		case <-time.After(drainTime):
		}
	}
}

// drainTime is how long the last output of a background command may take to get into its
// log. A process that is no descendant could hold the pipe open.
const drainTime = 5 * time.Second

// collect reads the reports on a command that has ended, and what it has left running,
// which ends if the command was ended.
func (c *Command) collect() {
	c.Stdin.Close()
	c.parts, c.Refused = c.report.Statuses(), c.notRun.NotRun()
	if c.status != "run" && c.status != "background" {
		process.KillAll(c.leftBy)
	}
	c.Left = c.leftBy()
}

// tell records what the command has left running.
func (c *Command) tell() {
	c.runner.Children.Tell(c.PID, c.Left)
	c.runner.Credentials.KeepWhile(c.credential, c.Left)
}

// leftBy returns the processes that the command has left running.
func (c *Command) leftBy() []process.Process { return c.runner.Children.LeftBy(c.PID) }

// keepLater keeps text, and with more what the command's processes still print, in a ring,
// which look sees too.
func (c *Command) keepLater(text string, more bool, look func([]byte)) {
	var ring *capture.Ring
	file, err := c.runner.Folder.Create(c.Call.ID, ".log")
	if c.lost = err; err == nil {
		ring = c.Output.Kept.Ring(c.runner.Folder.Root(), file, text, look)
		c.later = ring.Path()
	}
	if more {
		c.Output.PassOn(ring)
	} else if ring != nil {
		ring.Close()
	}
}
