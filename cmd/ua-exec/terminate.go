package main

import (
	"syscall"
	"time"

	"ua/cmd/ua-exec/internal/process"
)

// stop ends the command's whole process group: with SIGTERM, and with SIGKILL when the
// grace is over.
func (e *execution) stop(status, limit string) {
	grace := e.x.opts.grace
	if status == "interrupted" { // whoever ends the run does not wait long
		grace = min(grace, hurry)
	}
	e.stopWithin(status, limit, grace)
}

// stopWithin is stop with a given grace. status and limit say in the result why.
func (e *execution) stopWithin(status, limit string, grace time.Duration) {
	e.status, e.limit = status, limit
	process.SignalGroup(e.pid, syscall.SIGTERM)
	over := time.After(grace)
	for exited := false; !exited || process.SignalGroup(e.pid, 0); {
		select {
		case e.ended = <-e.exited:
			exited = true
		case <-over:
			process.SignalGroup(e.pid, syscall.SIGKILL)
			if !exited {
				e.ended = <-e.exited
			}
			return
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// endCrowd ends the command if it has more processes and threads than allowed.
func (e *execution) endCrowd() {
	if most := e.x.opts.pidsMax; most > 0 && e.x.processes.EndCrowd(e.pid, most) {
		e.limit = "pids"
	}
}
