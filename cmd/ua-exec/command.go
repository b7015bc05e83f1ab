package main

import (
	"errors"
	"os"
	"syscall"
	"time"

	"ua/internal/common/capture"
	"ua/internal/common/verdict"
)

// An execution is one command from its start to its result.
type execution struct {
	*executor
	call   *call
	pid    int // of the shell, and so of its session and group
	began  time.Time
	exited <-chan ended
	output *output
	report *report // of the pipeline's statuses
	ended  ended
	parts  []int // exit statuses of the last pipeline's parts, if bash told them
	status string
	limit  string // "time" or "idle" when a limit ended it
	took   time.Duration
	left   []process // what still runs
	later  string    // path of the file with what that prints
}

// run runs the call to its end, or in the background, and returns the line of
// its result.
func (x *executor) run(c *call) []byte {
	if x.shell.sandbox == "" && !x.opts.unconfined {
		return answer(c, "refused", "ua-sandbox is neither beside ua-exec nor on PATH, so nothing was run (--unconfined runs commands without it)")
	}
	e := &execution{executor: x, call: c, status: "run"}
	if err := e.start(); err != nil {
		return answer(c, "refused", notStarted(err))
	}
	if !x.opts.unconfined {
		go x.level.known()
	}
	if c.background && e.settle() {
		return e.leave()
	}
	if !c.background {
		e.wait()
	}
	return e.finish()
}

// notStarted is the error of a start in words.
func notStarted(err error) string {
	switch {
	case errors.Is(err, syscall.E2BIG):
		return "the command is longer than the kernel takes in one argument (128 KiB): put it into a file and run that"
	case errors.Is(err, syscall.EINVAL):
		return "the command holds a NUL byte"
	}
	return "the command could not be started: " + err.Error()
}

// start starts the command and the reading of its output.
func (e *execution) start() (err error) {
	r, w, err := pipe()
	if err != nil {
		return err
	}
	defer syscall.Close(w)
	files := []uintptr{e.null.Fd(), uintptr(w), uintptr(w)}
	env := e.environ.of(e.call)
	if e.report = newReport(e.shell.prelude, e.call.command); e.report != nil {
		files, env = e.report.files(files), append(env, preludeEnv)
	}
	defer e.report.started()
	e.began = time.Now()
	argv := e.shell.command(e.call.command, e.call.profile, e.report, e.folder.made())
	narrow, err := e.shell.narrow(e.call.profile)
	if err == nil {
		e.pid, e.exited, err = e.children.start(program{argv, env, files, narrow})
	}
	if err != nil {
		r.Close()
		e.report.statuses()
		return err
	}
	e.know(e.pid, true)
	e.output = newOutput(r, e.began, capture.Options{
		Max: e.room(), FileMax: e.opts.fileMax, Fold: e.call.final, Secrets: e.environ.secrets,
		Create: func() (*os.File, error) { return e.folder.create(e.call, ".txt") },
	})
	return nil
}

// room is how much of the output is kept. What a command fetched from the
// network is anyone's text: less of it is shown.
func (e *execution) room() int {
	if e.call.profile == verdict.ProfileNetwork {
		return e.opts.outputMax / 3
	}
	return e.opts.outputMax
}

// wait waits for the shell's end, and not for the end of its output, which
// what it left behind may hold open. A limit or the run's end ends it.
func (e *execution) wait() {
	limit := time.NewTimer(e.timeLimit())
	defer limit.Stop()
	idle := time.NewTimer(e.opts.idle)
	defer idle.Stop()
	if e.opts.idle == 0 {
		idle.Stop()
	}
	for {
		select {
		case e.ended = <-e.exited:
			return
		case <-limit.C:
			e.stop("timeout", "time")
			return
		case <-idle.C:
			rest := e.opts.idle - e.output.quiet()
			if rest <= 0 {
				e.stop("timeout", "idle")
				return
			}
			idle.Reset(rest)
		case <-e.ctx.Done():
			e.stop("interrupted", "")
			return
		}
	}
}

func (e *execution) timeLimit() time.Duration {
	if e.call.timeout == 0 {
		return e.opts.timeout
	}
	return min(e.call.timeout, e.opts.timeoutMax)
}

// stop ends the command's whole group: TERM, then KILL when the grace is over.
func (e *execution) stop(status, limit string) {
	e.status, e.limit = status, limit
	signalGroup(e.pid, syscall.SIGTERM)
	over := time.After(e.grace())
	for exited := false; !exited || signalGroup(e.pid, 0); {
		select {
		case e.ended = <-e.exited:
			exited = true
		case <-over:
			signalGroup(e.pid, syscall.SIGKILL)
			if !exited {
				e.ended = <-e.exited
			}
			return
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// grace is the time from TERM to KILL. Whoever ends the run does not wait long.
func (e *execution) grace() time.Duration {
	if e.status == "interrupted" {
		return min(e.opts.grace, hurry)
	}
	return e.opts.grace
}

// finish gathers what a command that has ended leaves: the rest of its output
// and the processes that still run.
func (e *execution) finish() []byte {
	e.took = time.Since(e.began)
	e.parts = e.report.statuses()
	e.left = e.leftBy(e.pid)
	if e.status != "run" {
		signalAll(e.left, syscall.SIGKILL)
		e.left = nil
	}
	more := e.output.drain(stragglers)
	if len(e.left) > 0 {
		if !more {
			time.Sleep(2 * time.Millisecond) // they closed the pipe: they may be ending
		}
		e.left = e.leftBy(e.pid)
	}
	if e.tell(e.left); len(e.left) == 0 {
		e.know(e.pid, false)
	}
	got := e.output.kept.Close(more)
	if more {
		e.later = e.passOn("")
	}
	return e.result(got)
}

// passOn has what the command's processes still print go to a ring, after text,
// and returns the ring's path, or "" when there is none.
func (e *execution) passOn(text string) string {
	file, err := e.folder.create(e.call, ".log")
	if err != nil {
		e.output.passOn(nil)
		return ""
	}
	ring := e.output.kept.Ring(e.folder.dir, file, text)
	path := ring.Path()
	e.output.passOn(ring)
	return path
}
