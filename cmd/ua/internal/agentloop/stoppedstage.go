package agentloop

import (
	"cmp"
	"fmt"
	"slices"
	"syscall"
	"time"

	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/stage"
)

// endStopped ends the run when a signal has stopped one of its stages. What answers at a
// socket has a successor, which the next who asks starts.
func (l *loop) endStopped() {
	list := append([]*stage.Stage{l.keeper, l.watcher}, l.stages...)
	for _, o := range l.gateways() {
		list = append(list, o.Stage())
	}
	s := l.watch.Stopped(list)
	if s == nil {
		return
	}
	const how = "was stopped by a signal, so it was killed"
	o := outcome{prog.Trouble, s.Name(), how, true}
	switch {
	case s.Stage == l.keeper || s.Stage == l.watcher:
		l.keeperStopped = &o
	case !slices.Contains(l.stages, s.Stage):
		l.toJournal.Put(event.Error(s.Name()+" serve", how, true))
	case !l.over:
		l.show.Ending = true // the footer says it
		l.toJournal.Put(event.Error(s.Name(), how, true))
		l.interrupt(o, syscall.SIGTERM)
	}
	s.Kill()
}

// holdsBack is how long the pipe may be silent before a stage is suspected to hold back.
const holdsBack = 10 * time.Second

// stillWaits warns once, after a time without output, about a stage of the user's own
// that may buffer its lines.
func (l *loop) stillWaits() {
	custom := ""
	for _, s := range l.stages {
		custom = cmp.Or(custom, l.replaced(s.Name()))
	}
	if custom == "" || l.open || l.hinted || l.over || l.answer != nil || l.lastHeard.IsZero() ||
		time.Since(l.lastHeard) < holdsBack {
		return
	}
	l.hinted = true
	l.show.Warn(fmt.Sprintf("no output for %v; does %s flush each line (jq --unbuffered)?",
		holdsBack, custom))
}
