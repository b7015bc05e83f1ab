package ring

import (
	"slices"
	"syscall"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/stage"
)

// lost ends the run when a stage was killed. A stage that exits by itself has written
// why, and the rest of the pipe ends after it.
//
// A signal may have been sent to all of us, as by a terminal or a service manager. The
// stage may then be dead before this process has received its own.
func (l *loop) lost(s *stage.Stage) {
	// The end of an engine is told when its output has ended; a stage from before a check, not.
	if l.over || l.o.via != "" || !slices.Contains(l.stages, s) {
		return
	}
	status, how := s.Failure()
	if status > 128 && l.signalled(stage.Grace/50) || l.ofAll(status) {
		return
	}
	if status > 128 && status != 128+int(syscall.SIGPIPE) {
		l.show.Ending = true // the footer says it
		how = l.blame(s, how)
		l.toJournal.Put(event.Error(s.Name(), how, true))
		l.interrupt(outcome{prog.Trouble, s.Name(), how, true}, syscall.SIGINT)
	}
}

// ofAll ends the run if what has ended with the status may have had a signal that is sent to
// all of us, and this process gets it too. What ends a service ends each of its processes, in
// its own time. A command that has ended so is no reason to go on with the model meanwhile.
func (l *loop) ofAll(status int) bool {
	switch syscall.Signal(status - 128) {
	case syscall.SIGTERM, syscall.SIGHUP:
		return l.signalled(stage.Grace / 5)
	}
	return false
}

// signalled waits for a signal that this process receives too, and ends the run because
// of it. It reports whether one came.
func (l *loop) signalled(wait time.Duration) bool {
	late := time.After(wait)
	for wait > 0 || len(l.signals) > 0 {
		select {
		case sig := <-l.signals:
			if sig == syscall.SIGPIPE {
				continue
			}
			l.stop(sig)
			return true
		case <-late:
			wait = 0
		}
	}
	return false
}

// pipeEnded is called once everything that came out of the pipe is kept. It finds out why
// the pipe ended, ends what is left of the run, and writes the summary. The order is that
// of dependence: no stage is left when the gateways close, and subagents and protected files
// are looked at before the summary counts them.
func (l *loop) pipeEnded() {
	if l.checkEnded() {
		return
	}
	if !l.over && !l.signalled(stage.Grace/50) {
		if l.o.via != "" {
			l.finish(l.farEnd())
		} else {
			l.finish(l.failedStage())
		}
		if l.result.status != 0 && !l.show.Said(l.result.stage) {
			l.show.Ending = true // the footer says it
			l.toJournal.Put(event.Error(l.result.stage, l.result.message, l.result.retryable))
		}
	}
	if !l.stages[0].Ended() {
		l.stages[0].Signal(syscall.SIGKILL) // nobody can hear it any more
	}
	l.toThink.End()
	for _, s := range l.stages {
		if !s.Wait(stage.Grace / 5) {
			s.Signal(syscall.SIGKILL)
		}
		if status, _ := s.Failure(); l.result.status == 0 {
			l.ofAll(status)
		}
	}
	if l.check() {
		return
	}
	l.closeGateways()
	l.lookForAgents(true)
	l.release()
	l.awaitNotices()
	l.lastLook(func(line []byte) { l.toJournal.Put(line) })
	l.endTry()
	l.signalled(0)
	l.toJournal.Put(l.trial.AddTo(l.summary()))
	l.summed = true
}

// awaitNotices waits until the journal has what the sandbox tells.
func (c *confinement) awaitNotices() {
	if c.net == nil {
		return
	}
	select {
	case <-c.asked:
	case <-time.After(stage.Grace / 5): // a process that got away holds the pipe
	}
}

// failedStage returns the first stage that failed, and how. A stage killed by SIGPIPE is
// passed over: it only followed another.
func (l *loop) failedStage() outcome {
	for _, s := range l.stages {
		s.Wait(200 * time.Millisecond) // the ends of a broken pipe follow each other
	}
	last := l.show.LastError
	for _, s := range l.stages {
		if !s.Ended() {
			continue
		}
		status, how := s.Failure()
		if how == "" || status == 128+int(syscall.SIGPIPE) {
			continue
		}
		if s.Name() == "ua-gate" && l.show.Said(s.Name()) && gjson.GetBytes(last, "status").
			Int() == prog.No {
			// A person, or a hook, has said no, which is no failure of the stage.
			return outcome{prog.No, l.env.Name, event.Str(last, "message"), false}
		}
		if l.replaced(s.Name()) != "" && status == prog.NotFound {
			how = "a command in it was not found (status 127)"
		}
		o := outcome{prog.Trouble, s.Name(), l.blame(s, how), false}
		if s == l.stages[0] && status < 128 || status == prog.NotConfined {
			o.status = status
		}
		if s == l.stages[0] && last != nil {
			o.message, o.retryable = event.Str(last, "message"), gjson.GetBytes(last,
				"retryable").Bool()
		}
		return o
	}
	return l.leftEarly()
}

// leftEarly returns the stage that ended the pipe though none failed: the last one of the
// user's own that has closed its output, or ended while the one before it had more to give,
// or else ua-think.
func (l *loop) leftEarly() outcome {
	for i := len(l.stages) - 1; i > 0; i-- {
		s, before := l.stages[i], l.stages[i-1]
		status, _ := before.Failure()
		switch {
		case l.replaced(s.Name()) == "":
		case !s.Ended():
			return outcome{prog.Trouble, s.Name(), l.blame(s, "closed its output"), false}
		case !before.Ended(), status == 128+int(syscall.SIGPIPE):
			return outcome{prog.Trouble, s.Name(), l.blame(s, "ended early"), false}
		}
	}
	if !l.halfAt.IsZero() {
		return incomplete()
	}
	return outcome{prog.Trouble, l.stages[0].Name(), "ended before it answered", true}
}

// incomplete is the outcome of a run whose last answer was cut off.
func incomplete() outcome {
	return outcome{prog.TryLater, "ua-think", "the answer was cut off", true}
}

// replaced returns the option with which the user has replaced the stage, or "".
func (l *loop) replaced(stage string) string {
	switch {
	case stage == "ua-think" && l.o.Think != "":
		return "--think"
	case stage == "ua-gate" && l.o.Gate != "":
		return "--gate"
	case stage == "ua-sandbox" && l.o.Exec != "":
		return "--exec"
	}
	return ""
}

// blame returns how with the option in front that has replaced the stage.
func (l *loop) blame(s *stage.Stage, how string) string {
	if option := l.replaced(s.Name()); option != "" {
		return option + ": " + how
	}
	return how
}

// stageEnd says how a stage ended that should still be running.
func (l *loop) stageEnd(s *stage.Stage) string {
	if !s.Wait(time.Second) {
		return "closed its output"
	}
	if _, how := s.Failure(); how != "" {
		return how
	}
	return "ended early"
}

// recordLost ends the run because the journal's writer has ended before it had the summary.
// An answer whose record is not whole is no success.
func (l *loop) recordLost() {
	l.journalLost = true
	l.keeper.Wait(time.Second)
	if o := l.keeperEnd(); !l.over || l.result.status == 0 {
		l.finish(o)
		l.result = o
	}
}

// keeperEnd returns the outcome when the journal's writer ends first. A run that another
// process writes may be free later. A writer that was not killed has said why on stderr.
func (l *loop) keeperEnd() outcome {
	if l.keeperStopped != nil {
		return *l.keeperStopped
	}
	if l.watcher != nil && l.watcher.Wait(stage.Grace/5) {
		if status, how := l.watcher.Failure(); how != "" {
			o := outcome{prog.Trouble, "ua-gate", how, false}
			if said := l.show.LastError; status == prog.No && said != nil {
				o.status, o.message = prog.No, event.Str(said, "message")
			}
			return o
		}
	}
	o := outcome{prog.Trouble, "ua-journal", l.stageEnd(l.keeper), false}
	status, _ := l.keeper.Failure()
	if status > 0 && status < 128 {
		o.message = ""
	}
	if status == prog.TryLater {
		o.status, o.retryable = status, true
	}
	return o
}
