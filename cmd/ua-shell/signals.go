package main

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-shell/internal/shell"
	"ua/internal/common/prog"
)

// fall has the signal that ended us end the process for real, since the caller looks at
// that (waitpid(2)). It is called last.
func (w *wrapper) fall() {
	if w.fatal != 0 {
		signal.Reset(w.fatal)
		unix.Kill(os.Getpid(), w.fatal)
		time.Sleep(grace / 20)
	}
}

// watchSignals passes on the signals that come to us instead of the shell. The terminal's
// size is read only when its turn comes, so that of many changes the last one counts.
func (w *wrapper) watchSignals() {
	resized, others := make(chan os.Signal, 1), make(chan os.Signal, 8)
	signal.Notify(resized, syscall.SIGWINCH)
	prog.Notify(others, syscall.SIGHUP, syscall.SIGTERM, syscall.SIGINT, syscall.SIGQUIT,
		syscall.SIGTSTP, syscall.SIGCONT)
	go func() {
		for range resized {
			w.relay.Post(w.resize)
		}
	}()
	w.resize() // what came before
	go func() {
		for s := range others {
			w.relay.Post(func() { w.signal(s.(syscall.Signal)) })
		}
	}()
}

// resize gives the PTY the terminal's size.
func (w *wrapper) resize() { shell.Resize(w.tty.In(), w.child.PTY) }

// signal acts on a signal that some process sent; keys cause none here.
func (w *wrapper) signal(s syscall.Signal) {
	switch s {
	case syscall.SIGHUP, syscall.SIGTERM:
		w.die(s)
	case syscall.SIGTSTP:
		w.suspend()
	case syscall.SIGCONT:
		w.resume()
	default:
		if !w.deaf {
			w.child.Signal(s)
		}
	}
}

// die ends the shell in the way that the end of its terminal would, and then us. SIGTERM
// does not end an interactive shell, and a stopped one has to continue before it can end.
func (w *wrapper) die(s syscall.Signal) {
	if w.fatal != 0 {
		return
	}
	w.fatal = s
	w.child.Signal(syscall.SIGHUP)
	w.child.Signal(syscall.SIGCONT)
	time.AfterFunc(grace, func() { w.relay.Post(w.hangUp) })
}

// hangUp closes the PTY, so that its programs read an end as well: bash may have gone on
// to read just as the signal came. What does not end then outlives us.
func (w *wrapper) hangUp() {
	w.relay.Close()
	w.child.PTY = -1
	time.AfterFunc(grace, func() { w.relay.Post(w.relay.End) })
}

// suspend stops us because the shell has stopped itself. For that time the terminal
// belongs to our caller.
func (w *wrapper) suspend() {
	w.tty.Restore()
	unix.Kill(os.Getpid(), syscall.SIGSTOP)
	w.resume()
	w.child.Signal(syscall.SIGCONT)
}

// resume takes the terminal again after a stop.
func (w *wrapper) resume() {
	w.tty.Raw()
	w.resize()
}
