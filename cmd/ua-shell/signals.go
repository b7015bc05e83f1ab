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

// fall has the signal that ended us end us in truth, as the caller needs to know.
// It is called last.
func (w *wrapper) fall() {
	if w.fatal != 0 {
		signal.Reset(w.fatal)
		unix.Kill(os.Getpid(), w.fatal)
		time.Sleep(grace / 20)
	}
}

// watchSignals passes on what comes to us instead of to the shell. The size of
// the terminal is read when its turn has come, so that a storm of resizing ends
// with the last one.
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

func (w *wrapper) resize() { shell.Resize(w.tty.In(), w.child.PTY) }

// signal acts on a signal that somebody sent us: no key does.
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

// die ends the shell as the end of its terminal does, and us with it. SIGTERM
// would not end a shell, and one that is stopped has to go on to end.
func (w *wrapper) die(s syscall.Signal) {
	if w.fatal != 0 {
		return
	}
	w.fatal = s
	w.child.Signal(syscall.SIGHUP)
	w.child.Signal(syscall.SIGCONT)
	time.AfterFunc(grace, func() { w.relay.Post(w.hangUp) })
}

// hangUp closes the PTY, by which its programs read an end too: bash may have gone on to
// read when the signal had just come. What does not end then outlives us.
func (w *wrapper) hangUp() {
	w.relay.Close()
	w.child.PTY = -1
	time.AfterFunc(grace, func() { w.relay.Post(w.relay.End) })
}

// suspend stops us, as the shell has stopped itself: the terminal belongs to our
// caller for that time.
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
