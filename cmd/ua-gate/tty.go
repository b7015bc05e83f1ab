package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"
	"unicode"

	"golang.org/x/sys/unix"

	"ua/internal/common/style"
	"ua/internal/common/verdict"
)

// A terminal asks the person at the controlling terminal.
type terminal struct {
	limit time.Duration
	tty   *os.File // nil until the first question
}

// openTerminal opens the controlling terminal, if there is one that this
// process may read from: a job in the background would stop at the question.
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

func foreground(tty *os.File) error {
	if group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP); err != nil || group != unix.Getpgrp() {
		return errors.New("the terminal belongs to another job")
	}
	return nil
}

func noAnswer(limit time.Duration) error { return fmt.Errorf("no answer came within %v", limit) }

// open opens the terminal once, and looks each time whether it may be read.
func (t *terminal) open() (err error) {
	if t.tty != nil {
		return foreground(t.tty)
	}
	t.tty, err = openTerminal()
	return err
}

// behind is how long a question waits for the words that the model said before
// it, which come to the terminal by way of all later stages.
const behind = 100 * time.Millisecond

// ask puts the question on the terminal. What was typed before it is thrown
// away, so that no key meant for something else can answer.
func (t *terminal) ask(q *question) (reply, error) {
	if err := t.open(); err != nil {
		return reply{}, err
	}
	time.Sleep(behind)
	io.WriteString(t.tty, q.text(style.For(t.tty)))
	discardInput(t.tty)
	end := time.Now().Add(t.limit)
	for {
		io.WriteString(t.tty, q.choices())
		line, err := readLine(t.tty, end)
		if err == errLate {
			io.WriteString(t.tty, "\n  no answer: not run\n")
			return reply{}, noAnswer(t.limit)
		} else if err != nil {
			return reply{}, err
		}
		r := q.parseReply(line)
		if r.word == "edit" {
			command, err := edit(q.current())
			if err != nil {
				fmt.Fprintf(t.tty, "  %v\n", err)
				continue
			}
			r.command = command
		}
		if r.word != "" {
			return r, nil
		}
	}
}

var errLate = errors.New("too late")

// readLine reads a line that is typed before end. It waits with select(2),
// which knows terminals on every system, and reads only when a whole line is
// there: no read is left behind that could take a line meant for an editor or
// for the next question.
func readLine(tty *os.File, end time.Time) (string, error) {
	fd := int(tty.Fd())
	for {
		left := time.Until(end)
		if left <= 0 {
			return "", errLate
		}
		var ready unix.FdSet
		ready.Set(fd)
		wait := unix.NsecToTimeval(int64(left))
		n, err := unix.Select(fd+1, &ready, nil, nil, &wait)
		if err != nil && err != unix.EINTR {
			return "", fmt.Errorf("the terminal can't be read: %v", err)
		}
		if err != nil || n == 0 {
			continue
		}
		buf := make([]byte, 4096) // the longest line in canonical mode
		if n, _ = tty.Read(buf); n == 0 {
			return "", errors.New("the terminal was closed")
		}
		return string(buf[:n]), nil
	}
}

// text is the question for a person.
func (q *question) text(on style.Style) string {
	b := on.Yellow("⚠ "+q.Risk.String()+": "+visible(q.Reason)) + "\n"
	if q.warning != "" {
		b += on.Red("⚠ "+visible(q.warning)) + "\n"
	}
	for i, line := range strings.Split(visible(q.current()), "\n") {
		mark := "❯ "
		if i > 0 {
			mark = "  "
		}
		b += on.Bold(mark+line) + "\n"
	}
	return b
}

// choices is the line that a person answers.
func (q *question) choices() string {
	if q.Risk >= verdict.Privileged {
		return `  type "yes" to run, [n] skip [e] edit [q] quit > `
	}
	session := ""
	if kinds := q.kinds(); kinds != nil {
		session = fmt.Sprintf(" [a] allow %s for the session", visible(strings.Join(kinds, ", ")))
	}
	return "  [y] run [n] skip" + session + " [e] edit [q] quit > "
}

// parseReply reads a typed line; the word is "" for one that is no answer.
// What follows "n" is for the model.
func (q *question) parseReply(line string) reply {
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	switch strings.ToLower(word) {
	case "yes":
		return reply{word: "yes"}
	case "y":
		if q.Risk < verdict.Privileged {
			return reply{word: "allow"}
		}
	case "a":
		if q.Risk < verdict.Privileged && q.kinds() != nil {
			return reply{word: "session"}
		}
	case "n", "no":
		return reply{word: "deny", reason: strings.TrimSpace(rest)}
	case "e":
		return reply{word: "edit"}
	case "q":
		return reply{word: "quit"}
	}
	return reply{}
}

// visible is text that can't deceive on a terminal: what is not printable, the
// marks that turn the writing direction included, is shown as its code.
func visible(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r == '\n' || r == '\t' || unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "<U+%04X>", r)
		}
	}
	return b.String()
}

// edit lets the person edit the command in $VISUAL, $EDITOR or vi.
func edit(command string) (string, error) {
	f, err := os.CreateTemp("", "ua-gate-*.sh")
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(command + "\n")
	if err = errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	tty, err := openTerminal()
	if err != nil {
		return "", err
	}
	defer tty.Close()
	editor := os.Getenv("VISUAL")
	if editor == "" {
		editor = os.Getenv("EDITOR")
	}
	if editor == "" {
		editor = "vi"
	}
	signals := make(chan os.Signal, 1) // Ctrl-C is the editor's while it runs
	signal.Notify(signals, syscall.SIGINT, syscall.SIGQUIT)
	defer signal.Stop(signals)
	cmd := exec.Command("sh", "-c", editor+` "$1"`, "sh", f.Name())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %v", editor, bare(err))
	}
	text, err := os.ReadFile(f.Name())
	if err == nil && strings.TrimSpace(string(text)) == "" {
		err = errors.New("the edited command is empty")
	}
	return strings.TrimRight(string(text), "\n"), err
}
