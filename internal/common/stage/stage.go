// Package stage starts the programs of a run as processes, passes on their lines, and
// ends them together with all that they have started.
package stage

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"
	"ua/internal/common/style"
	"ua/internal/common/tty"
)

// A Stage is a program that was started. A nil Stage stands for one that was not.
type Stage struct {
	command Command
	proc    *subprocess
	done    chan struct{} // closed when the program has ended
	printed chan struct{} // closed when its stderr has been printed; nil if that is ours
	words   lastWords     // the end of that
	looked  bool          // the last look at protected files has been taken for it
}

// Name returns the name of the stage in the journal.
func (s *Stage) Name() string { return s.command.Name }

// PID returns the process ID of the stage.
func (s *Stage) PID() int { return s.proc.pid }

// Looks reports whether the stage is a sandbox that will take a last look at protected
// files.
func (s *Stage) Looks() bool { return s != nil && s.command.Looks && !s.looked }

// OwesLook reports whether the stage was killed before its last look. It reports so once.
func (s *Stage) OwesLook() bool {
	if !s.Looks() {
		return false
	}
	status, _ := s.Failure()
	s.looked = status == 128+int(syscall.SIGKILL)
	return s.looked
}

// print prints the stderr of the stage, and of what it started, with control characters
// escaped and nothing while a question is open; or tells it.
func (s *Stage) print(r *os.File) {
	defer close(s.printed)
	defer r.Close()
	if s.command.Said != nil {
		tell(r, s.command.Said)
		return
	}
	turns := tty.Of(os.Stderr)
	defer turns.Close()
	to := style.Folding(os.Stderr)
	if s.command.Before != nil {
		to = prepared(s.command.Before)
	}
	e := style.NewEscaper(turns.Writer(to))
	io.Copy(io.MultiWriter(e, &s.words), r)
	e.Flush()
}

// A prepared writes to stderr as soon as the terminal is prepared.
type prepared func(print func())

// Write writes p.
func (before prepared) Write(p []byte) (n int, err error) {
	before(func() { n, err = style.Folding(os.Stderr).Write(p) })
	return n, err
}

// Printed waits until everything that the stage said is on stderr, but no longer than
// limit, and reports whether it is.
func (s *Stage) Printed(limit <-chan time.Time) bool {
	if s == nil || s.printed == nil {
		return true
	}
	select {
	case <-s.printed:
		return true
	case <-limit: // a process that got away holds the pipe
		return false
	}
}

// Said returns the last line that the stage wrote to stderr, or "" if its stderr is ours.
func (s *Stage) Said() string {
	if s.printed == nil || !s.Printed(time.After(time.Second)) {
		return ""
	}
	return s.words.lastLine()
}

// Signal sends a signal to the stage if it is still running. SIGKILL goes to its whole
// group. A sandbox that still owes a look is ended by killing what it holds, so that it
// can take the look itself.
func (s *Stage) Signal(sig syscall.Signal) {
	if s == nil || s.Ended() {
		return
	}
	pid := s.proc.pid
	if sig == syscall.SIGKILL && s.Looks() {
		killBelow(pid) // with which all commands end; it takes its last look then
		if s.Wait(lookTime) {
			return
		}
	}
	if (sig == syscall.SIGKILL || s.command.Group) && s.command.Own {
		pid = -pid
	}
	syscall.Kill(pid, sig)
}

// Done returns a channel that is closed when the stage's program has ended.
func (s *Stage) Done() <-chan struct{} { return s.done }

// Ended reports whether the program has ended.
func (s *Stage) Ended() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// Wait waits for the end of the stage, at most for d, and reports whether it has ended.
func (s *Stage) Wait(d time.Duration) bool {
	if s == nil {
		return true
	}
	select {
	case <-s.done:
	case <-time.After(d):
	}
	return s.Ended()
}

// Failure returns the exit status of a stage that has ended, 128+n for signal n, and how
// it ended. how is "" if it has not ended yet or ended with status 0.
func (s *Stage) Failure() (status int, how string) {
	if s == nil || !s.Ended() {
		return 0, ""
	}
	switch ws := s.proc.status; {
	case ws.Signaled():
		return 128 + int(ws.Signal()), fmt.Sprintf("killed by signal %d (%v)", ws.Signal(),
			ws.Signal())
	case ws.ExitStatus() != 0:
		return ws.ExitStatus(), fmt.Sprintf("ended with status %d", ws.ExitStatus())
	}
	return 0, ""
}

// lastWords keeps the last 500 bytes that a program writes to stderr.
type lastWords struct{ tail []byte }

// Write adds p and drops what is older. It never fails.
func (w *lastWords) Write(p []byte) (int, error) {
	w.tail = append(w.tail, p...)
	w.tail = w.tail[max(0, len(w.tail)-500):]
	return len(p), nil
}

// lastLine returns the last line that is not a hint.
func (w *lastWords) lastLine() string {
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(string(w.tail), "\uFFFD")), "\n")
	lines = slices.DeleteFunc(lines, func(l string) bool { return strings.Contains(l, ": hint: ") })
	return strings.TrimSpace(strings.Join(lines[max(0, len(lines)-1):], ""))
}

// tell calls said for every line that r gives. A very long line comes in several pieces.
func tell(r io.Reader, said func(string)) {
	lines := bufio.NewReaderSize(r, 4<<10)
	for {
		text, _, err := lines.ReadLine()
		if err != nil {
			return
		}
		said(string(text))
	}
}

// Grace is how long stages may take to end by themselves.
const Grace = 5 * time.Second

// lookTime is how long ua-sandbox may take to look at protected files and to remove the
// commands' TMPDIR before it is killed.
const lookTime = 5 * time.Second
