package agentloop

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
	o := outcome{prog.Trouble, "ua-journal", stageEnd(l.keeper), false}
	status, _ := l.keeper.Failure()
	if status > 0 && status < 128 {
		o.message = ""
	}
	if status == prog.TryLater {
		o.status, o.retryable = status, true
	}
	return o
}
