package main

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-shell/internal/relay"
	"ua/cmd/ua-shell/internal/shell"
	"ua/cmd/ua-shell/internal/terminal"
	"ua/internal/common/prog"
)

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
