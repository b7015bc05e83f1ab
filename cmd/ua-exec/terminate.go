package main

import (
	"syscall"
	"time"

	"ua/cmd/ua-exec/internal/process"
)

// stop ends the command's whole process group and what has left that, such as an agent in
// the background: with SIGTERM, and with SIGKILL when the grace is over.
func (e *execution) stop(status, limit string) {
	grace := e.x.opts.grace
	if status == "interrupted" {
		grace = min(grace, e.x.hurried())
	}
	e.stopWithin(status, limit, grace)
}

// stopWithin is stop with a given grace. status and limit say in the result why. What is
// left outside of the group when the grace is over is killed by those who collect it. The
// number of a group that has ended may soon be another one's.
func (e *execution) stopWithin(status, limit string, grace time.Duration) {
	e.status, e.limit = status, limit
	over, done := e.x.within(grace)
	defer done()
	all, others := e.leftBy(), process.Ending{Group: e.pid}
	process.SignalGroup(e.pid, syscall.SIGTERM)
	others.Ask(all)
	exited, group := false, true
	for !exited || group || others.Ask(e.leftBy()) {
		select {
		case e.ended = <-e.exited:
			exited = true
		case <-over.Done():
			if group {
				process.SignalGroup(e.pid, syscall.SIGKILL)
			}
			if !exited {
				e.collect()
			}
			return
		case <-time.After(2 * time.Millisecond):
		}
		group = group && process.SignalGroup(e.pid, 0)
	}
}

// collect waits for the end of a shell that was killed. One that the kernel does not let
// go, in a call to a disk that is gone or held by a tracer, has ended for the run.
func (e *execution) collect() {
	select {
	case e.ended = <-e.exited:
	case <-time.After(killTime):
		e.ended = process.Ended{Status: syscall.WaitStatus(syscall.SIGKILL)}
	}
}

// endCrowd ends the command if it has more processes and threads than allowed.
func (e *execution) endCrowd() {
	if most := e.x.opts.pidsMax; most > 0 && e.x.processes.EndCrowd(e.pid, most) {
		e.limit = "pids"
	}
}
