package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ua/internal/common/style"
	"ua/internal/common/tty"
)

// A terminal asks the person at the controlling terminal.
type terminal struct {
	limit time.Duration
	afar  *afar    // nil if no answers come from elsewhere
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

// ask puts the question on the terminal, after those of other gates there.
func (t *terminal) ask(q *question) (reply, error) {
	wait := behind
	if t.tty == nil {
		wait = firstBehind
	}
	if err := t.open(); err != nil && t.afar != nil {
		return t.wait(q)
	} else if err != nil {
		return reply{}, err
	}
	// Other stages may still print what came before the question. From here on ua prints
	// nothing until the answer.
	time.Sleep(wait)
	turn := tty.Of(t.tty)
	defer turn.Close()
	if turn.Take(time.Now().Add(t.limit)) != nil {
		return reply{}, noAnswer(t.limit)
	}
	screen := t.show(q)
	end := time.Now().Add(t.limit)
	for {
		line, r, err := t.line(q, q.choices(screen), end, screen)
		switch {
		case r != nil:
			return *r, err
		case err == errChanged:
			screen = t.show(q)
			continue
		case err == errLate:
			io.WriteString(t.tty, "\n  no answer in time, so it is not run\n")
			return reply{}, noAnswer(t.limit)
		case err != nil:
			io.WriteString(t.tty, "\n")
			return reply{}, err
		}
		switch r := q.parseReply(line); r.word {
		case "":
			io.WriteString(t.tty, q.noReply(strings.TrimSpace(line)))
		case "help":
			io.WriteString(t.tty, q.help())
		case "view":
			// A short command is shown in place.
			if lines := q.lines(screen.columns); len(lines) < screen.rows-4 {
				io.WriteString(t.tty, asText(lines))
				continue
			}
			if err := view(q.current() + "\n"); err != nil {
				fmt.Fprintf(t.tty, "  %v\n", err)
			}
			screen = t.show(q)
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

// lineMode has the terminal collect lines, echo them and turn Ctrl-C into a signal. A program
// that was killed may have left it otherwise, and then one key would be an answer.
func lineMode(tty *os.File) {
	modes, err := unix.IoctlGetTermios(int(tty.Fd()), getModes)
	if err != nil {
		return
	}
	modes.Iflag |= unix.ICRNL
	modes.Iflag &^= unix.INLCR | unix.IGNCR
	modes.Oflag |= unix.OPOST | unix.ONLCR
	modes.Lflag |= unix.ICANON | unix.ECHO | unix.ISIG
	unix.IoctlSetTermios(int(tty.Fd()), setModes, modes)
}

// show prints the question and returns the size that it was made for. Keys typed before a
// person can have seen it are discarded: they were meant for something else.
func (t *terminal) show(q *question) size {
	lineMode(t.tty)
	screen := sizeOf(t.tty)
	io.WriteString(t.tty, "\n"+q.text(style.For(t.tty), screen))
	time.Sleep(unseenYet)
	discardInput(t.tty)
	return screen
}

// errLate is the error of a line that does not come in time, and errChanged that of a
// question that is no longer on the screen as it was.
var (
	errLate    = errors.New("too late")
	errChanged = errors.New("the screen has changed")
)
