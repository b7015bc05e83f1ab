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

// grace is how long a shell may take to end after its terminal is gone.
const grace = 2 * time.Second

// A wrapper is a shell in a PTY. Bytes pass both ways unchanged.
type wrapper struct {
	tty    *terminal.Terminal
	shell  shell.Shell
	folder string // of the session, "" for none: it is removed at the end
	child  *shell.Child
	relay  *relay.Relay
	status unix.WaitStatus
	exited bool
	fatal  syscall.Signal // that ended us, 0 for none

	deaf bool // signals of the terminal are another program's

	begin   func() // is called before the first byte passes
	drained func() // is called after the last one
}

// run runs the shell until it ends. The terminal has its old modes when run returns,
// whatever happens.
func (w *wrapper) run() (err error) {
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
	if w.begin != nil {
		w.begin()
	}
	go w.watchChild()
	w.watchSignals()
	w.relay.Run()
	// The shell has ended, but its last output may still be in the PTY.
	w.relay.Drain()
	if w.drained != nil {
		w.drained()
	}
	return w.result()
}

// result returns the shell's status as ours, 128 and the number after a signal.
func (w *wrapper) result() error {
	switch {
	case w.fatal != 0:
		return prog.Exit(128 + int(w.fatal))
	case w.status.Signaled():
		return prog.Exit(128 + int(w.status.Signal()))
	}
	return prog.Exit(w.status.ExitStatus())
}

// watchChild tells the relay when the shell has stopped or ended.
func (w *wrapper) watchChild() {
	for {
		ws := w.child.Wait()
		// The shell has stopped itself, as its suspend command does.
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

// lendTerminal gives the terminal to a program for a while. Signals of its keys reach us too,
// but are not meant for the shell.
func (w *wrapper) lendTerminal(run func() error) error {
	w.deaf = true
	w.relay.Settle()
	w.tty.Restore()
	err := run()
	w.resume()
	w.relay.Post(func() { w.deaf = false })
	return err
}

// size returns the terminal's columns and rows, 80 and 24 where it does not tell.
func (w *wrapper) size() (columns, rows int) {
	size, err := unix.IoctlGetWinsize(w.tty.Out(), unix.TIOCGWINSZ)
	if err != nil {
		return 80, 24
	}
	return int(size.Col), int(size.Row)
}

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
	w.relay.After(grace, w.hangUp)
}

// hangUp closes the PTY, so that its programs read an end as well: bash may have gone on
// to read just as the signal came. What does not end then outlives us.
func (w *wrapper) hangUp() {
	w.relay.Close()
	w.child.PTY = -1
	w.relay.After(grace, w.relay.End)
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
