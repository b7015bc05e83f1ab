package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ua/internal/common/prog"
	"ua/internal/common/style"
)

// A terminal asks the person at the controlling terminal.
type terminal struct {
	limit time.Duration
	tty   *os.File // nil until the first question
}

// openTerminal opens the controlling terminal. It is an error if this process may not
// read from it: a job in the background would be stopped at the question (SIGTTIN,
// termios(3)).
func openTerminal() (*os.File, error) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, errors.New("there is no terminal to ask on")
	}
	if err := foreground(tty); err != nil {
		tty.Close()
		return nil, err
	}
	return tty, nil
}

// foreground returns an error unless this process's group is in the foreground.
func foreground(tty *os.File) error {
	if group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP); err != nil ||
		group != unix.Getpgrp() {
		return errors.New("the terminal belongs to another job")
	}
	return nil
}

// noAnswer returns the error for a question that nobody has answered in time.
func noAnswer(limit time.Duration) error { return fmt.Errorf("no answer came within %v", limit) }

// open opens the terminal once, and checks each time whether it may be read.
func (t *terminal) open() (err error) {
	if t.tty != nil {
		return foreground(t.tty)
	}
	t.tty, err = openTerminal()
	return err
}

// ask puts the question on the terminal. What was typed before is discarded, so that a
// key meant for something else answers nothing.
func (t *terminal) ask(q *question) (reply, error) {
	wait := behind
	if t.tty == nil {
		wait = firstBehind
	}
	if err := t.open(); err != nil {
		return reply{}, err
	}
	// Other stages may still print what came before the question.
	time.Sleep(wait)
	on := style.For(t.tty)
	io.WriteString(t.tty, "\n"+q.text(on, sizeOf(t.tty)))
	discardInput(t.tty)
	end := time.Now().Add(t.limit)
	for {
		line, err := readLine(t.tty, q.choices(), end)
		if err == errLate {
			io.WriteString(t.tty, "\n  no answer in time, so it is not run\n")
			return reply{}, noAnswer(t.limit)
		} else if err != nil {
			io.WriteString(t.tty, "\n")
			return reply{}, err
		}
		switch r := q.parseReply(line); r.word {
		case "help":
			io.WriteString(t.tty, q.help())
		case "view":
			if err := view(q.current() + "\n"); err != nil {
				fmt.Fprintf(t.tty, "  %v\n", err)
			}
			io.WriteString(t.tty, q.text(on, sizeOf(t.tty)))
		case "edit":
			// The safer command needs no editor.
			if r.command != "" {
				return r, nil
			}
			if r.command, err = edit(q.current()); err == nil {
				return r, nil
			}
			fmt.Fprintf(t.tty, "  %v\n", err)
		default:
			return r, nil
		}
	}
}

// errLate is the error of a line that does not come in time.
var errLate = errors.New("too late")

// interruptions returns a pipe with a byte for each Ctrl-C, since select(2) cannot wait
// for a channel. The function that it returns gives the signal its old meaning back.
func interruptions() (pipe *os.File, done func(), err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, nil, fmt.Errorf("no pipe for signals: %v", err)
	}
	caught := make(chan os.Signal, 1)
	prog.Notify(caught, syscall.SIGINT)
	go func() {
		for range caught {
			w.Write([]byte{0})
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
// the next question.
func readLine(tty *os.File, prompt string, end time.Time) (string, error) {
	interrupt, done, err := interruptions() // before the prompt, which a Ctrl-C may answer at once
	if err != nil {
		return "", err
	}
	defer done()
	io.WriteString(tty, prompt)
	fd, signals := int(tty.Fd()), int(interrupt.Fd())
	for {
		left := time.Until(end)
		if left <= 0 {
			return "", errLate
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
			return "", errInterrupted
		}
		buf := make([]byte, 4096) // the longest line in canonical mode
		if n, _ = tty.Read(buf); n == 0 {
			return "", errors.New("the terminal was closed")
		}
		return string(buf[:n]), nil
	}
}
