package command

import (
	"os"
	"syscall"
	"time"

	"ua/cmd/ua-exec/internal/pipe"
	"ua/internal/common/capture"
	"ua/internal/common/jobs"
)

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

// openStdin makes a pipe for the stdin of a background command, and returns the command's
// end. The pipe stays open, because many programs end with their stdin.
func (c *Command) openStdin() (*os.File, error) {
	r, w, err := pipe.Raw()
	if err != nil {
		return nil, err
	}
	err = syscall.SetNonblock(r, false) // as programs expect of their stdin
	if err == nil {
		err = syscall.SetNonblock(w, true)
	}
	c.Stdin = os.NewFile(uintptr(w), "stdin")
	return os.NewFile(uintptr(r), "stdin"), os.NewSyscallError("fcntl", err)
}
