package main

import (
	"time"

	"ua/cmd/ua-exec/internal/process"
)

// timeLimit returns how long the command may take: what its call asks for, up to the
// maximum.
func (e *execution) timeLimit() time.Duration {
	if e.call.timeout == 0 {
		return e.x.opts.timeout
	}
	return min(e.call.timeout, e.x.opts.timeoutMax)
}

// wait waits for the end of the shell, or ends the command: at the limit (0: none) or after
// the time idle without output (0: any), with the run, or because ua job asks for that. It
// does not wait for the end of the output, which a process that was left behind may hold open.
func (e *execution) wait(limit, idle time.Duration) {
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
		case e.ended = <-e.exited:
			return
		case <-look.C:
			if e.status == "run" {
				e.strays += e.x.processes.EndStrays()
				e.x.withdrawEnded()
			}
			e.endCrowd()
			continue
		case <-late.C:
			e.stop("timeout", "time")
		case <-quiet.C:
			// The timer is set once and not at each output, so it may be early.
			if rest := idle - e.output.quiet(); rest > 0 {
				quiet.Reset(rest)
				continue
			}
			e.stop("timeout", "idle")
		case grace := <-e.asked: // nil but for a command in the background
			e.stopWithin("stopped", "", grace)
		case <-e.x.ctx.Done():
			e.stop("interrupted", "")
		}
		return
	}
}
