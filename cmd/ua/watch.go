package main

import (
	"fmt"
	"syscall"
	"time"

	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// watchEvery is how often the stages are looked at. One that is found stopped
// twice has not just been continued with us, as by Ctrl-Z and fg.
const watchEvery = time.Second

// A watch looks for stages that a signal has stopped: they would hold the run,
// and the limits that they keep, for ever. A command could send SIGSTOP to the
// process that runs it.
type watch struct{ seen map[int]bool }

// stopped returns the first of the stages that has been found stopped twice in a row,
// and its stopped processes.
func (w *watch) stopped(stages []*stage) (which *stage, pids []int) {
	now := map[int]bool{}
	for _, s := range stages {
		if s == nil || s.hasEnded() {
			continue
		}
		for _, pid := range stoppedUnder(s.proc.pid, s.printed != nil) {
			now[pid] = true
			if w.seen[pid] && (which == nil || which == s) {
				which, pids = s, append(pids, pid)
			}
		}
	}
	w.seen = now
	return which, pids
}

// endStopped ends the run when a stage stands still. SIGKILL ends a stopped process
// too (signal(7)).
func (l *loop) endStopped() {
	s, pids := l.watch.stopped(append([]*stage{l.keeper, l.watcher}, l.stages...))
	if s == nil {
		return
	}
	const how = "was stopped by a signal, and has been ended"
	if s != l.keeper && s != l.watcher && !l.over {
		l.show.Ending = true // the footer says it
		l.toJournal.Put(event.Error(s.name, how, true))
		l.interrupt(outcome{prog.Trouble, s.name, how, true}, syscall.SIGTERM)
	}
	s.signal(syscall.SIGKILL)
	for _, pid := range pids {
		syscall.Kill(pid, syscall.SIGKILL)
	}
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

// holdsBack is how long the pipe may give nothing before a stage is suspected.
const holdsBack = 10 * time.Second
