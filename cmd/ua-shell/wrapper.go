package main

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-shell/internal/relay"
	"ua/cmd/ua-shell/internal/shell"
	"ua/cmd/ua-shell/internal/terminal"
	"ua/internal/common/prog"
)

// A wrapper is a shell in a PTY whose bytes pass both ways untouched.
type wrapper struct {
	tty    *terminal.Terminal
	shell  shell.Shell
	path   string // of the shell's own program, which may be behind ua-sandbox
	folder string // of the session, "" for none: it is removed at the end
	empty  string // the folder of a run in which nothing was asked yet, "" for none
	child  *shell.Child
	relay  *relay.Relay
	status unix.WaitStatus
	exited bool
	fatal  syscall.Signal // that ended us, 0 for none

	deaf bool // signals of the terminal are another program's

	begin   func() // is called before the first byte passes
	drained func() // is called after the last one
}

// grace is how long a shell may take to end when its terminal is gone.
const grace = 2 * time.Second

// run runs the shell until it ends. The terminal has its modes back when run
// returns, however it does.
func (w *wrapper) run() (err error) {
	w.tty.Guard(w.folder, w.empty)
	defer w.tty.Unguard()
	if w.folder != "" {
		defer os.RemoveAll(w.folder)
	}
	if w.child, err = w.shell.Start(w.tty.In()); err != nil {
		return err
	}
	if w.relay, err = relay.New(w.tty.In(), w.tty.Out(), w.child.PTY); err != nil {
		return err
	}
	w.relay.Hangup = func() { w.die(syscall.SIGHUP) }
	if err := w.tty.Raw(); err != nil {
		return prog.Errorf(prog.Trouble, "the terminal: %v", err)
	}
	defer w.tty.Restore()
	w.tty.KeepGuarded(w.relay.Post)
	if w.begin != nil {
		w.begin()
	}
	go w.watchChild()
	w.watchSignals()
	w.relay.Run()
	w.relay.Drain()
	if w.drained != nil {
		w.drained()
	}
	return w.result()
}

// result returns the shell's status as ours.
func (w *wrapper) result() error {
	switch {
	case w.fatal != 0:
		return prog.Exit(128 + int(w.fatal))
	case w.status.Signaled():
		return prog.Exit(128 + int(w.status.Signal()))
	}
	return prog.Exit(w.status.ExitStatus())
}

// fall has the signal that ended us end us in truth, as the caller needs to know.
// It is called last.
func (w *wrapper) fall() {
	if w.fatal != 0 {
		signal.Reset(w.fatal)
		unix.Kill(os.Getpid(), w.fatal)
		time.Sleep(grace / 20)
	}
}

// watchChild tells the relay what becomes of the shell.
func (w *wrapper) watchChild() {
	for {
		ws := w.child.Wait()
		if ws.Stopped() {
			w.relay.Post(w.suspend)
			continue
		}
		w.relay.Post(func() {
			w.status, w.exited = ws, true
			w.relay.End()
		})
		return
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

// outside gives the terminal to a program for a while. The signals of its keys,
// which come to us too, are not for the shell.
func (w *wrapper) outside(run func() error) error {
	w.deaf = true
	w.tty.Restore()
	err := run()
	w.resume()
	w.relay.Post(func() { w.deaf = false })
	return err
}
