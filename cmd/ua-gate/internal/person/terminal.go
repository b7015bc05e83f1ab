package person

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ua/internal/common/editor"
	"ua/internal/common/prog"
	uarun "ua/internal/common/run"
	"ua/internal/common/runfolder"
	"ua/internal/common/style"
	"ua/internal/common/tty"
)

// behind and firstBehind are how long a question waits for what the model has said before
// it. That comes to the terminal through all later stages, which may still be starting at
// the first question.
const (
	behind      = 100 * time.Millisecond
	firstBehind = 400 * time.Millisecond
)

// unseenYet is how long a question stands before a key can answer it. Nobody reads one
// faster, and a key that comes sooner was on its way before.
const unseenYet = 300 * time.Millisecond

// nextTurn is how long a question waits between two looks for its answer, and for the terminal to
// be this job's again; lookEvery, where there is no terminal.
const (
	nextTurn  = 100 * time.Millisecond
	lookEvery = 200 * time.Millisecond
)

// A terminal asks the person at the controlling terminal.
type terminal struct {
	limit time.Duration
	run   *uarun.Run // to whose questions ua answer gives answers; nil for none
	tty   *os.File   // nil until the first question
}

// open opens the controlling terminal once. It is an error if this process may not read from it: a
// job in the background would be stopped at the question (SIGTTIN, termios(3)).
func (t *terminal) open() (err error) {
	if t.tty == nil {
		if t.tty, err = os.OpenFile("/dev/tty", os.O_RDWR|syscall.O_NOCTTY, 0); err != nil {
			t.tty = nil
			return errors.New("there is no terminal to ask on")
		}
	}
	if !foreground(t.tty) {
		return errors.New("the terminal belongs to another job")
	}
	return nil
}

// foreground reports whether this process's group is in the foreground of the terminal.
func foreground(tty *os.File) bool {
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}

// noAnswer returns the error for a question that nobody has answered in time.
func noAnswer(limit time.Duration) error { return fmt.Errorf("no answer came within %v", limit) }

// Ask puts the question on the terminal, after those of other gates there.
func (t *terminal) Ask(q *Question) (Reply, error) {
	wait := behind
	if t.tty == nil {
		wait = firstBehind
	}
	if err := t.open(); err != nil && t.run != nil {
		return t.wait(q)
	} else if err != nil {
		return Reply{}, err
	}
	// Other stages may still print what came before the question. From here on ua prints
	// nothing until the answer.
	time.Sleep(wait)
	turn := tty.Of(t.tty)
	defer turn.Close()
	if turn.Take(time.Now().Add(t.limit)) != nil {
		return Reply{}, noAnswer(t.limit)
	}
	t.show(q)
	for end := time.Now().Add(t.limit); ; {
		r, err := t.reply(q, end)
		switch {
		case err == errChanged:
			t.show(q)
		case err == errLate:
			io.WriteString(t.tty, "\n  no answer in time, so it is not run\n")
			return Reply{}, noAnswer(t.limit)
		case err != nil:
			io.WriteString(t.tty, "\n")
			return Reply{}, err
		case r.Word == "help":
			io.WriteString(t.tty, q.help())
		case r.Word == "view":
			q.whole = true
			t.show(q)
		case r.Word == "edit" && r.Command == "": // the safer command needs no editor
			if r.Command, err = t.edit(q.Command); err == nil {
				return r, nil
			}
			fmt.Fprintf(t.tty, "  %v\n", err)
		case r.Word != "":
			return r, nil
		}
	}
}

// elsewhere takes the answer that ua answer has given to the question, if it has come, and writes
// it as an event.
func (t *terminal) elsewhere(q *Question) (r Reply, came bool, err error) {
	if t.run == nil {
		return r, false, nil
	}
	text := runfolder.Answered(*t.run, q.event)
	if text == nil {
		return r, false, nil
	}
	return replyOf(text), true, q.Emit(text)
}

// wait waits for an answer without a terminal.
func (t *terminal) wait(q *Question) (Reply, error) {
	for end := time.Now().Add(t.limit); time.Now().Before(end); time.Sleep(lookEvery) {
		if r, came, err := t.elsewhere(q); came {
			return r, err
		}
	}
	return Reply{}, ErrUnanswered
}

// lineMode has the terminal collect lines, echo them and turn Ctrl-C into a signal. A program
// that was killed may have left it otherwise, and then one key would be an answer.
func lineMode(f *os.File) {
	modes, err := unix.IoctlGetTermios(int(f.Fd()), tty.GetModes)
	if err != nil {
		return
	}
	modes.Iflag |= unix.ICRNL
	modes.Iflag &^= unix.INLCR | unix.IGNCR
	modes.Oflag |= unix.OPOST | unix.ONLCR
	modes.Lflag |= unix.ICANON | unix.ECHO | unix.ISIG
	unix.IoctlSetTermios(int(f.Fd()), tty.SetModes, modes)
}

// show prints the question. Keys typed before a person can have seen it are discarded: they were
// meant for something else.
func (t *terminal) show(q *Question) {
	lineMode(t.tty)
	io.WriteString(t.tty, "\n"+q.text(style.For(t.tty), sizeOf(t.tty)))
	time.Sleep(unseenYet)
	tty.Discard(t.tty)
}

// errLate is the error of a line that does not come in time, and errChanged that of a
// question below which other programs may have printed since.
var (
	errLate    = errors.New("too late")
	errChanged = errors.New("the screen has changed")
)

// reply prints the choices and reads a line that is typed before end, or takes an answer from
// elsewhere. It reads only when a whole line is there, so no read is left behind that could take a
// line meant for an editor or for the next question. A reply without a word is none.
func (t *terminal) reply(q *Question, end time.Time) (r Reply, err error) {
	caught := make(chan os.Signal, 8) // before the prompt, which a Ctrl-C may answer at once
	prog.Notify(caught, syscall.SIGINT, syscall.SIGCONT)
	defer signal.Stop(caught)
	io.WriteString(t.tty, q.choices(sizeOf(t.tty).columns))
	for line := ""; time.Now().Before(end); {
		select {
		case s := <-caught:
			if s == syscall.SIGINT {
				return r, ErrInterrupted
			}
			return r, t.back(end)
		default:
		}
		if r, came, err := t.elsewhere(q); came {
			fmt.Fprintf(t.tty, "\n  answered from elsewhere: %s\n", cmp.Or(r.Word, "nothing"))
			return r, err
		}
		// select(2) works for terminals on every system.
		var ready unix.FdSet
		ready.Set(int(t.tty.Fd()))
		wait := unix.NsecToTimeval(int64(min(time.Until(end), nextTurn)))
		n, err := unix.Select(int(t.tty.Fd())+1, &ready, nil, nil, &wait)
		switch {
		case err != nil && err != unix.EINTR:
			return r, fmt.Errorf("the terminal can't be read: %v", err)
		case err != nil || n <= 0:
			continue
		case !foreground(t.tty):
			return r, t.back(end)
		}
		buf := make([]byte, 4096) // the longest line in canonical mode
		if n, _ = t.tty.Read(buf); n == 0 {
			return r, errors.New("the terminal was closed")
		}
		// Half a line comes by Ctrl-D, or if a program has left the terminal in raw mode.
		if line += string(buf[:n]); strings.ContainsAny(line, "\r\n") {
			line = strings.TrimSpace(line)
			if r = q.parseReply(line); r.Word == "" {
				io.WriteString(t.tty, q.noReply(line))
			}
			return r, nil
		} else if len(line) > len(buf) {
			return r, errors.New("the terminal has no lines")
		}
	}
	return r, errLate
}

// back stops this job like any that reads from a terminal of another one, and returns errChanged
// once the terminal is its own again. A job that nobody can stop waits.
func (t *terminal) back(end time.Time) error {
	for !foreground(t.tty) {
		if time.Now().After(end) {
			return errLate
		}
		syscall.Kill(0, syscall.SIGTTIN)
		time.Sleep(nextTurn)
	}
	return errChanged
}

// edit lets the person edit the command. An empty result is an error.
func (t *terminal) edit(command string) (string, error) {
	defer lineMode(t.tty)              // the editor may be killed
	signals := make(chan os.Signal, 1) // Ctrl-C is the editor's while it runs
	prog.Notify(signals, syscall.SIGINT, syscall.SIGQUIT)
	defer prog.Stop(signals)
	text, err := editor.Edit(t.tty, t.tty, command)
	if err == nil && strings.TrimSpace(text) == "" {
		err = errors.New("the edited command is empty")
	}
	return text, err
}
