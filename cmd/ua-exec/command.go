package main

import (
	"os"
	"time"

	"ua/cmd/ua-exec/internal/environ"
	"ua/cmd/ua-exec/internal/pipe"
	"ua/cmd/ua-exec/internal/process"
	"ua/cmd/ua-exec/internal/report"
	"ua/internal/common/capture"
	"ua/internal/common/jobs"
	"ua/internal/common/verdict"
)

// run runs the call to its end, or leaves it in the background, and returns the line of
// its result. Processes that earlier commands have left are counted first, since too many
// of them end.
func (x *executor) run(j *queuedCall) []byte {
	if status, why := x.refusal(); why != "" {
		return answer(j.call, status, why)
	}
	e := &execution{x: x, queued: j, call: j.call, status: "run"}
	e.strays = x.processes.EndStrays()
	x.withdrawEnded()
	soon := x.spare.FillSoon()
	defer func() {
		if process.Childless() { // what a command left may need them filled yet
			soon.Stop()
		}
	}()
	if err := e.start(); err != nil {
		return answer(j.call, "refused", notStarted(err))
	}
	if !x.opts.unconfined {
		go x.tier.known()
	}
	if j.call.background && (x.opts.linger || e.settle()) {
		return e.leave()
	}
	if !j.call.background {
		e.wait(e.timeLimit(), x.opts.idle)
	}
	return e.finish()
}

// start starts the command and begins to read its output. On an error, everything that
// was opened for it is closed again.
func (e *execution) start() (err error) {
	x := e.x
	narrow, err := x.shell.narrow(e.call.profile)
	if err != nil {
		return err
	}
	r, w, err := pipe.New()
	if err != nil {
		return err
	}
	theirs := pipe.Ends{pipe.Descriptor(w)}
	defer func() {
		// The command has copies of its own; with ours open, the output would never end.
		theirs.Close()
		if err != nil {
			r.Close()
			e.stdin.Close()
			e.report.Statuses()
			e.notRun.NotRun()
			e.netLog.Refused()
			x.keepWhile(e.credential, nil)
		}
	}()
	text := jobs.InFolder(e.from, x.cwd, e.call.command)
	files, err := e.files(uintptr(w), text, &theirs)
	if err != nil {
		return err
	}
	// Each command has credentials of its own, which end with it.
	if e.credential, err = x.issue(e.call); err != nil {
		return err
	}
	env := e.environ()
	if e.report != nil {
		env = append(env, report.PreludeEnv)
	}
	x.landing.ask(askRefresh)
	e.began = time.Now()
	argv := x.shell.command(text, e, x.folder.Made())
	program := process.Program{Argv: argv, Env: env, Files: files, Lock: narrow}
	if e.pid, e.exited, err = x.children.Start(program); err != nil {
		return err
	}
	x.processes.Know(e.pid, true)
	var shown *recent
	if x.opts.progress {
		shown = &e.queued.recent
	}
	e.output = newOutput(r, e.began, shown, capture.Options{
		Max:     e.room(),
		FileMax: x.folder.BytesLeft(x.opts.fileMax),
		Fold:    e.call.final,
		Secrets: x.environ.Secrets,
		Create:  func() (*os.File, error) { return x.folder.Create(e.call.id, ".txt") },
	})
	return nil
}

// environ returns the command's environment. A ua-sandbox may change it further.
func (e *execution) environ() []string {
	var l environ.Credential
	if e.credential != nil {
		l = e.credential.Credential
	}
	env := e.x.environ.Of(e.call.profile, e.call.delegates, l)
	return append(env, e.x.controlEnv(e.call, l)...)
}

// files returns the descriptors of the command: nothing or a pipe as stdin, out as
// output, and the channels on which bash and ua-sandbox report what output cannot.
// Descriptors that only the command needs are added to theirs.
func (e *execution) files(out uintptr, text string, theirs *pipe.Ends) (pipe.Files, error) {
	f := pipe.Files{e.x.null.Fd(), out, out}
	if e.call.background {
		stderr, err := markStderr(int(out))
		if err != nil {
			return nil, err
		}
		theirs.Add(pipe.Descriptor(stderr))
		stdin, err := e.openStdin()
		if err != nil {
			return nil, err
		}
		theirs.Add(stdin)
		f[0], f[2] = stdin.Fd(), uintptr(stderr)
	}
	if e.call.background || e.call.delegates {
		e.x.openControl()
	}
	if e.report = report.NewPipeline(e.x.shell.prelude, e.call.command); e.report != nil {
		f = e.report.Give(f, theirs)
	}
	script, err := report.NewScript(text)
	if err != nil {
		return nil, err
	}
	if script != nil {
		theirs.Add(script)
		f = f.Put(report.ScriptFD, script.Fd())
	}
	if !e.x.shell.sandboxes() {
		return f, nil
	}
	if e.notRun, err = report.NewChannel(report.NotRunFD); err != nil {
		return nil, err
	}
	f = e.notRun.Give(f, theirs)
	if e.x.shell.nested || e.call.profile != verdict.ProfileNetwork {
		return f, nil // the proxy is that of a sandbox around ua-exec, or there is none
	}
	if e.netLog, err = report.NewChannel(report.NetLogFD); err != nil {
		return nil, err
	}
	return e.netLog.Give(f, theirs), nil
}

// room returns how many bytes of output are kept. Text from the network may come from
// anyone, so less of it is shown.
func (e *execution) room() int {
	if e.call.profile == verdict.ProfileNetwork {
		return e.x.opts.outputMax / networkShare
	}
	return e.x.opts.outputMax
}

// finish collects what a command that has ended leaves behind: the rest of its output and
// the processes that are still running. These processes may be ending, so they are looked
// at again after a moment.
func (e *execution) finish() []byte {
	e.stdin.Close()
	e.took = time.Since(e.began)
	e.parts, e.refuse = e.report.Statuses(), e.notRun.NotRun()
	if e.status != "run" {
		process.KillAll(e.leftBy)
	}
	e.left = e.leftBy()
	more := e.output.drain(stragglers)
	if len(e.left) > 0 {
		if !more {
			time.Sleep(2 * time.Millisecond) // they closed the pipe: they may be ending
		}
		e.left = e.leftBy()
	}
	e.x.processes.Tell(e.pid, e.left)
	e.x.keepWhile(e.credential, e.left)
	if e.strays += e.x.processes.EndStrays(); e.strays > 0 {
		e.left = e.leftBy()
	}
	got := e.output.kept.Close(more)
	e.x.folder.Count(got.File)
	if more {
		e.later = e.keepLater("", true)
	}
	if e.call.profile != verdict.ProfileReadOnly {
		e.unlanded = e.x.landing.ask(askLand)
	}
	return e.result(got)
}

// leftBy returns the processes that the command has left running.
func (e *execution) leftBy() []process.Process { return e.x.processes.LeftBy(e.pid) }

// keepLater keeps text, and with more what the command's processes still print, in a ring. It
// returns the path of the ring, or "" if there is none.
func (e *execution) keepLater(text string, more bool) (path string) {
	var ring *capture.Ring
	file, err := e.x.folder.Create(e.call.id, ".log")
	if e.lost = err; err == nil {
		ring = e.output.kept.Ring(e.x.folder.Root(), file, text, e.look)
		path = ring.Path()
	}
	if more {
		e.output.passOn(ring)
	} else if ring != nil {
		ring.Close()
	}
	return path
}
