package command

import (
	"time"

	"ua/cmd/ua-exec/internal/landsocket"
	"ua/cmd/ua-exec/internal/process"
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
		c.unlanded = c.runner.landing.Ask(landsocket.Land)
	}
	return c.Result(got)
}

// stragglers is how long processes that the shell left behind, such as a tee in a process
// substitution, may take to end their output.
const stragglers = 100 * time.Millisecond

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
