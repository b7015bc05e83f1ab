package agentloop

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ua/internal/common/prog"
	"ua/internal/common/stage"
)

// catchSignals has signals end the run in order from here on. One that ended this process would
// leave a folder in which nothing was begun.
func (l *loop) catchSignals() {
	l.signals = make(chan os.Signal, 8)
	prog.Notify(l.signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT,
		syscall.SIGPIPE)
}

// stop ends the run because of a signal. A second signal ends it at once. One that comes
// before the summary stands is how the run ends, whatever stages or the model have said:
// they may have had the same signal. Only what this process has decided comes first.
func (l *loop) stop(sig os.Signal) {
	number := sig.(syscall.Signal)
	o := outcome{128 + int(number), "ua", "stopped by " + unix.SignalName(number), true}
	if l.over && sig != syscall.SIGPIPE {
		if !l.summed && (l.result.status == 0 || l.result.stage != "ua") {
			l.result = o
		}
		l.kill()
	}
	l.interrupt(o, sig)
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
