package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"time"

	"ua/cmd/ua-exec/internal/process"
	"ua/internal/common/descriptor"
	"ua/internal/common/event"
	"ua/internal/common/jobs"
	agent "ua/internal/common/run"
	"ua/internal/common/verdict"
)

// startJob starts a command in the background on behalf of a program, in the profile right.
// The job counts as running before it is started, so that the end of the run waits for it.
func (x *executor) startJob(q *jobs.Request, right verdict.Profile) jobs.Reply {
	c := &call{name: "shell", command: q.Command, background: true,
		judgement: judgement{risk: verdict.Write, profile: right, delegates: true}}
	x.control.mu.Lock()
	running := 0
	for _, e := range x.control.jobs {
		if !e.isOver() {
			running++
		}
	}
	x.control.number++
	c.id = fmt.Sprintf("job-%d", x.control.number)
	x.control.mu.Unlock()
	switch {
	case strings.TrimSpace(q.Command) == "":
		return jobs.Reply{Error: "there is no command"}
	case running >= controlJobs:
		return jobs.Reply{Error: fmt.Sprintf("%d jobs are running, which is the limit", running)}
	case !x.watchOne():
		return jobs.Reply{Error: runEnds}
	}
	e := &execution{x: x, queued: &queuedCall{call: c}, call: c, status: "run",
		from: q.Dir}
	var err error
	if e.wake.pattern, err = wakePattern(q.Wake); err != nil {
		x.background.unwatch()
		return jobs.Reply{Error: err.Error()}
	}
	if err := e.start(); err != nil {
		x.background.unwatch()
		return jobs.Reply{Error: notStarted(err)}
	}
	_, r := e.goOn()
	go e.watch(r)
	switch {
	case x.ending():
		e.end(&jobs.Request{Grace: 1}) // milliseconds: it has hardly begun
		return jobs.Reply{Error: runEnds}
	case e.record == "":
		e.end(&jobs.Request{})
		return jobs.Reply{Error: "its record could not be written"}
	}
	select {
	case <-e.over:
	case <-x.ctx.Done():
	case <-time.After(jobs.SettleTime):
	}
	return e.reply()
}

// keep passes a request on to the run's driver: for a job that outlives the run, in a sandbox of
// its own and in profile workspace, or for words in the project's journals. It goes where results
// go, which no command has open, so that only a command whose call was judged can ask.
func (x *executor) keep(q *jobs.Request, right verdict.Profile) jobs.Reply {
	if q.Do == "keep" && !verdict.ProfileWorkspace.Within(right) {
		return jobs.Reply{Error: "a command of profile workspace or network may ask for it"}
	}
	id := agent.NewID()
	line, err := json.Marshal(jobs.Request{Do: q.Do, Command: q.Command, Dir: q.Dir})
	if err == nil {
		err = x.out.Write(event.New("delta").Str("kind", jobs.Asked).Str("id", id).
			Raw("request", line).Line())
	}
	if err != nil {
		return jobs.Reply{Error: err.Error()}
	}
	return jobs.Reply{Job: id}
}

// runEnds is the answer to a request that comes too late.
const runEnds = "the run is ending"

// watchOne counts a command in the background before it is started, and reports whether
// it may start. The end of the run waits for commands that are counted and lets no other
// begin.
func (x *executor) watchOne() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed || x.ctx.Err() != nil {
		return false
	}
	x.background.watch()
	return true
}

// ending reports whether the run accepts no further command.
func (x *executor) ending() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.closed || x.ctx.Err() != nil
}

// reply returns the state of a job.
func (e *execution) reply() jobs.Reply {
	r := jobs.Reply{Job: jobs.Name(e.record), State: jobs.Running}
	if e.isOver() {
		code, _ := e.ended.Code()
		r.State, r.ExitCode = jobs.Ended, &code
	}
	return r
}

// isOver reports whether a command in the background has ended.
func (e *execution) isOver() bool {
	select {
	case <-e.over:
		return true
	default:
		return false
	}
}

// end ends a job and the processes that it has left.
func (e *execution) end(q *jobs.Request) jobs.Reply {
	grace := e.x.opts.grace
	if q.Grace > 0 {
		grace = time.Duration(min(q.Grace, 1e9) * float64(time.Millisecond))
	}
	select {
	case e.asked <- grace:
		<-e.over
	case <-e.over:
	}
	e.x.endAll(e.stillLeft, grace)
	return e.reply()
}

// stillLeft returns the processes of an ended job that are still running.
func (e *execution) stillLeft() (list []process.Process) {
	for _, p := range e.x.processes.Descendants() {
		if p.Session == e.pid {
			list = append(list, p)
			continue
		}
		for _, l := range e.left {
			if l.ID == p.ID {
				list = append(list, p)
			}
		}
	}
	return list
}

// feed copies in to the stdin of a job, as fast as the job reads. A job that does not
// read holds up the copy until the client has gone.
func (e *execution) feed(conn *net.UnixConn, in io.Reader, eof bool) (r jobs.Reply) {
	r.Job = jobs.Name(e.record)
	if !e.typing.TryLock() {
		return jobs.Reply{Error: "another program is writing to it"}
	}
	defer e.typing.Unlock()
	for buf := make([]byte, 32<<10); ; {
		n, readErr := in.Read(buf)
		for rest := buf[:n]; len(rest) > 0; {
			// A command may not read for long. Between the attempts its end is noticed.
			_ = e.stdin.SetWriteDeadline(time.Now().Add(requestTime))
			k, err := e.stdin.Write(rest)
			rest, r.Bytes = rest[k:], r.Bytes+int64(k)
			if err == nil || errors.Is(err, os.ErrDeadlineExceeded) && !descriptor.HungUpNow(conn) {
				continue
			}
			r.Error = "it no longer reads"
			return r
		}
		if readErr != nil {
			break
		}
	}
	if eof {
		e.stdin.Close()
	}
	return r
}
