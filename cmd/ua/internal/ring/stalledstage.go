package ring

import (
	"fmt"
	"syscall"
	"time"

	"ua/cmd/ua/internal/stage"
	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// endStopped ends the run when a signal has stopped one of its stages.
func (l *loop) endStopped() {
	s := l.watch.Stopped(append([]*stage.Stage{l.keeper, l.watcher}, l.stages...))
	if s == nil {
		return
	}
	const how = "was stopped by a signal, and has been ended"
	if s.Stage != l.keeper && s.Stage != l.watcher && !l.over {
		l.show.Ending = true // the footer says it
		l.toJournal.Put(event.Error(s.Name(), how, true))
		l.interrupt(outcome{prog.Trouble, s.Name(), how, true}, syscall.SIGTERM)
	}
	s.Kill()
}

// stillWaits warns once, after a time without output, about a stage of the user's own
// that may buffer its lines.
func (l *loop) stillWaits() {
	custom := ""
	for _, s := range []struct{ option, line string }{{"--exec", l.o.run}, {"--gate", l.o.gate},
		{"--think", l.o.think}} {
		if s.line != "" {
			custom = s.option
		}
	}
	if custom == "" || l.open || l.hinted || l.over || l.lastHeard.IsZero() ||
		time.Since(l.lastHeard) < holdsBack {
		return
	}
	l.hinted = true
	l.show.Warn(fmt.Sprintf("no output for %v; does %s flush each line (jq --unbuffered)?",
		holdsBack, custom))
}
