package ring

import (
	"fmt"
	"syscall"
	"time"

	"ua/cmd/ua/internal/stage"
	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// endStopped ends the run when a stage stands still.
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

// stillWaits says once, after a while without a line, what may hold lines back: a
// stage of the user's that does not write each one at once.
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
