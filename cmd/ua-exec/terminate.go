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
