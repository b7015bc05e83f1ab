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

// wait waits for the end of the shell. It does not wait for the end of the output, which
// a process that was left behind may hold open. A limit or the end of the run ends the
// command.
func (e *execution) wait() {
	limit := time.NewTimer(e.timeLimit())
	defer limit.Stop()
	idle := time.NewTimer(e.x.opts.idle)
	defer idle.Stop()
	if e.x.opts.idle == 0 {
		idle.Stop()
	}
	look := time.NewTicker(process.LookAtStrays)
	defer look.Stop()
	for {
		select {
		case e.ended = <-e.exited:
			return
		case <-look.C:
			e.strays += e.x.processes.EndStrays()
			e.x.withdrawEnded()
			e.endCrowd()
		case <-limit.C:
			e.stop("timeout", "time")
			return
		case <-idle.C:
			// The timer is set once and not at each output, so it may be early.
			rest := e.x.opts.idle - e.output.quiet()
			if rest <= 0 {
				e.stop("timeout", "idle")
				return
			}
			idle.Reset(rest)
		case <-e.x.ctx.Done():
			e.stop("interrupted", "")
			return
		case <-e.queued.revoked:
			e.stop("interrupted", "")
			return
		}
	}
}
