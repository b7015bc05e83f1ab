package agentloop

import (
	"fmt"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ua/cmd/ua/internal/runprocesses"
	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/stage"
)

// watchEvery is how often the stages are looked at.
const watchEvery = time.Second

// pump runs the ring until the stages have ended and the journal holds all that they
// wrote. Signals, limits, ends of stages and kept lines reach it through channels, so
// that one goroutine acts on all of them.
func (l *loop) pump() {
	var limit, force <-chan time.Time
	if l.o.TimeLimit > 0 {
		limit = time.After(max(time.Duration(l.o.TimeLimit)-l.took, 0))
	}
	gone := l.stdoutGone()
	look := time.NewTicker(watchEvery)
	defer look.Stop()
	for {
		select {
		case <-look.C:
			l.endStopped()
			l.show.Tick()
			l.stillWaits()
			if !l.over {
				if !l.halfAt.IsZero() && time.Since(l.halfAt) > stage.Grace/5 {
					l.interrupt(incomplete(), syscall.SIGTERM)
				}
				l.lookForAgents(false)
				if l.agents.live > 0 {
					l.notifier.Below(l.run)
				}
				l.hear()
				l.wake()
			}
		case line, ok := <-l.kept:
			if !ok {
				l.recordLost()
				l.kill()
				// The mark comes last out of the pipe, and back through the journal after
				// everything else.
				return
			}
			if string(line) == l.mark {
				l.pipeEnded()
				continue
			}
			l.keep(line)
			if l.summed && event.Type(line) == "summary" {
				return
			}
		case sig := <-l.signals:
			l.stop(sig)
		case <-limit:
			l.interrupt(outcome{prog.Limit, "ua", fmt.Sprintf("reached the time limit of %v",
				time.Duration(l.o.TimeLimit)), true}, syscall.SIGINT)
		case <-gone:
			gone = nil
			l.interrupt(stdoutFailed(unix.EPIPE), unix.SIGTERM)
		case s := <-l.ended:
			if s != l.keeper {
				l.lost(s)
			}
		case <-force:
			l.kill()
			runprocesses.KillChildren(l.keeper.PID(), l.stays())
			force = time.After(stage.Grace / 50) // what a stage left behind comes to us when it is dead
		}
		if !l.over {
			force = nil // also when the run goes on after a check
		}
		if l.over && force == nil {
			force = time.After(stage.Grace)
		}
	}
}
