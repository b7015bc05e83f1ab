// Package stage starts the programs of a run as processes, passes on their lines, and
// ends them together with all that they have started.
package stage

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"ua/internal/common/event"
	"ua/internal/common/prog"
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

// A Watch looks for stages that a signal has stopped. They would hold up the run, and the
// limits that they enforce, for ever. A command could send SIGSTOP to the process that
// runs it.
type Watch struct{ seen map[int]bool }

// A Stopped is a stage that a signal has stopped.
type Stopped struct {
	*Stage
	pids []int // its stopped processes
}

// Stopped returns the first of the stages that it has found stopped twice in a row, or
// nil. A stage that is stopped only once may be about to continue together with this
// process, as after Ctrl-Z and fg.
func (w *Watch) Stopped(stages []*Stage) (which *Stopped) {
	now := map[int]bool{}
	for _, s := range stages {
		if s == nil || s.Ended() {
			continue
		}
		for _, pid := range stoppedUnder(s.proc.pid, s.command.Runs || s.command.Line) {
			now[pid] = true
			switch {
			case !w.seen[pid]:
			case which == nil:
				which = &Stopped{s, []int{pid}}
			case which.Stage == s:
				which.pids = append(which.pids, pid)
			}
		}
	}
	w.seen = now
	return which
}

// Kill ends the stage. SIGKILL works on a stopped process too (signal(7)).
func (s *Stopped) Kill() {
	s.Signal(syscall.SIGKILL)
	for _, pid := range s.pids {
		syscall.Kill(pid, syscall.SIGKILL)
	}
}

// Ends holds the two ends of a pipe.
type Ends struct{ R, W *os.File }

// Pipe returns a new pipe. Its error has an exit status.
func Pipe() (p Ends, err error) {
	if p.R, p.W, err = os.Pipe(); err != nil {
		err = prog.Errorf(StartStatus(err), "%w", err)
	}
	return p, err
}

// Pipes returns one pipe for a program's standard input and one for its output.
func Pipes() (in, out Ends, err error) {
	if in, err = Pipe(); err == nil {
		out, err = Pipe()
	}
	return in, out, err
}

// Lines calls do with a copy of every line of f, and closes f. A line that is no event is
// passed on, since the journal's writer reports it. A line that is too long becomes an
// error event of the stage.
func Lines(f *os.File, stage string, do func([]byte)) {
	defer f.Close()
	r := event.NewReader(f)
	for {
		line, err := r.Line()
		var long *event.Malformed
		if errors.As(err, &long) {
			do(event.Error(stage, long.Error(), false))
			continue
		}
		if err != nil {
			return
		}
		if len(line) > 0 {
			do(bytes.Clone(line))
		}
	}
}
