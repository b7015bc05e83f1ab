package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ua/internal/common/prog"
)

// interruptions returns a pipe with the number of each signal that matters to a question,
// since select(2) cannot wait for a channel: Ctrl-C, going on after a stop, and another
// size of the screen. The function that it returns gives them their old meaning back.
func interruptions() (pipe *os.File, done func(), err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, fmt.Errorf("no pipe for signals: %v", err)
	}
	caught := make(chan os.Signal, 8)
	prog.Notify(caught, syscall.SIGINT, syscall.SIGCONT, syscall.SIGWINCH)
	go func() {
		for s := range caught {
			w.Write([]byte{byte(s.(syscall.Signal))})
		}
		w.Close()
	}()
	return r, func() {
		signal.Stop(caught)
		close(caught)
		r.Close()
	}, nil
}

// readLine prints a prompt and reads a line that is typed before end. It waits in
// select(2), which works for terminals on every system, and reads only when a whole line
// is there. So no read is left behind that could take a line meant for an editor or for
// the next question. elsewhere, if not nil, is called now and then and can end the wait. The
// error is errChanged if the question was made for a larger screen than there is now, or if
// other programs may have printed since.
func readLine(tty *os.File, prompt string, end time.Time, made size, elsewhere func() bool) (
	string, error) {
	interrupt, done, err := interruptions() // before the prompt, which a Ctrl-C may answer at once
	if err != nil {
		return "", err
	}
	defer done()
	io.WriteString(tty, prompt)
	fd, signals := int(tty.Fd()), int(interrupt.Fd())
	for line := ""; ; {
		left := time.Until(end)
		if left <= 0 {
			return "", errLate
		}
		if elsewhere != nil {
			if elsewhere() {
				return "", nil
			}
			left = min(left, lookEvery)
		}
		var ready unix.FdSet
		ready.Set(fd)
		ready.Set(signals)
		wait := unix.NsecToTimeval(int64(left))
		n, err := unix.Select(max(fd, signals)+1, &ready, nil, nil, &wait)
		if err != nil && err != unix.EINTR {
			return "", fmt.Errorf("the terminal can't be read: %v", err)
		}
		if err != nil || n == 0 {
			continue
		}
		if ready.IsSet(signals) {
			if err := signalled(interrupt, tty, made); err != nil {
				return "", err
			}
			continue
		}
		if foreground(tty) != nil {
			return "", takenBack(tty, end)
		}
		buf := make([]byte, 4096) // the longest line in canonical mode
		if n, _ = tty.Read(buf); n == 0 {
			return "", errors.New("the terminal was closed")
		}
		// Half a line comes by Ctrl-D, or if a program has left the terminal in raw mode.
		if line += string(buf[:n]); strings.ContainsAny(line, "\r\n") {
			return line, nil
		} else if len(line) > len(buf) {
			return "", errors.New("the terminal has no lines")
		}
	}
}

// signalled says what a signal means for the question, nil for nothing.
func signalled(interrupt, tty *os.File, made size) error {
	var sig [1]byte
	interrupt.Read(sig[:])
	switch syscall.Signal(sig[0]) {
	case syscall.SIGINT:
		return errInterrupted
	case syscall.SIGCONT:
		if foreground(tty) == nil {
			return errChanged
		}
	case syscall.SIGWINCH:
		time.Sleep(nextTurn) // a window that is drawn smaller has many sizes on the way
		if now := sizeOf(tty); now.rows < made.rows || now.columns < made.columns {
			return errChanged
		}
	}
	return nil
}

// takenBack stops this job like any that reads from a terminal of another one, and returns
// errChanged once the terminal is its own again. A job that nobody can stop waits.
func takenBack(tty *os.File, end time.Time) error {
	for foreground(tty) != nil {
		if time.Now().After(end) {
			return errLate
		}
		syscall.Kill(0, syscall.SIGTTIN)
		time.Sleep(nextTurn)
	}
	return errChanged
}
