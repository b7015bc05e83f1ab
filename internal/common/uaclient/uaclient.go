// Package uaclient runs ua for a program that stands where its user would: an editor's agent, a
// server of tools. Events come as they are printed with --json, and questions are answered
// as a person elsewhere answers them, by ua answer.
package uaclient

import (
	"bufio"
	"bytes"
	"cmp"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"

	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/style"
)

// A Run is a ua that runs.
type Run struct {
	Events chan []byte // closed once ua has ended; they have to be taken
	ID     string      // of the run; known at its first event

	cmd    *exec.Cmd
	status int
	said   string // the first line of ua's own on standard error
}

// Options refuses options of ua that would take its events, its answers or itself away from
// whoever drives it.
func Options(args []string) error {
	for _, a := range args {
		switch name, _, _ := strings.Cut(strings.TrimLeft(a, "-"), "="); name {
		case "bg", "via", "think", "json", "ask", "no-ask", "o", "output", "c", "continue":
			return prog.Errorf(prog.Trouble, "%s: this option of ua is not for here", a)
		}
	}
	return nil
}

// Start starts ua in a folder, with variables beside those that are here. said gets each line
// that it says on standard error; it may be nil. ua ends with this process, however that ends.
func Start(dir string, env []string, said func(string), args ...string) (*Run, error) {
	ua, err := prog.FindSibling("ua")
	if err != nil {
		return nil, err
	}
	r := &Run{Events: make(chan []byte), cmd: exec.Command(ua, args...)}
	r.cmd.Dir, r.cmd.Env = dir, append(os.Environ(), env...)
	r.cmd.SysProcAttr = prog.DieWithParent(&syscall.SysProcAttr{Setsid: true}, syscall.SIGTERM)
	stdout, err := r.cmd.StdoutPipe()
	stderr, err2 := r.cmd.StderrPipe()
	if err = cmp.Or(err, err2); err != nil {
		return nil, prog.Errorf(prog.Trouble, "%v", err)
	}
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // ua ends with the thread that starts it
		err := r.cmd.Start()
		if started <- err; err != nil {
			return
		}
		told := make(chan struct{})
		go func() {
			defer close(told)
			for lines := bufio.NewScanner(stderr); lines.Scan(); {
				text, own := strings.CutPrefix(lines.Text(), "ua: ")
				if own && r.said == "" {
					r.said = style.FirstLine(text, 400)
				}
				if said != nil {
					said(lines.Text())
				}
			}
		}()
		for events := event.NewReader(stdout); ; {
			line, err := events.Line()
			if err != nil {
				break
			}
			r.Events <- bytes.Clone(line)
		}
		<-told
		_ = r.cmd.Wait()
		r.status = prog.Ended(r.cmd.ProcessState)
		close(r.Events)
	}()
	if err := <-started; err != nil {
		return nil, prog.Errorf(prog.Trouble, "ua: %v", err)
	}
	return r, nil
}

// Next returns the next event, or nil when ua has ended.
func (r *Run) Next() []byte {
	line, ok := <-r.Events
	if !ok {
		return nil
	}
	if r.ID == "" && event.Type(line) == "run" {
		r.ID = event.Str(line, "id")
	}
	return line
}

// grace is how long ua may take to end.
const grace = 10 * time.Second

// Interrupt has ua end its command and then itself, within grace. Whoever starts this process
// may have had it ignore SIGINT.
func (r *Run) Interrupt() {
	_ = r.cmd.Process.Signal(syscall.SIGTERM)
	r.hurry()
}

// hurry kills a ua that does not end in time. One that has ended gets no signal.
func (r *Run) hurry() { time.AfterFunc(grace, func() { _ = r.cmd.Process.Kill() }) }

// Drain waits until ua has ended, but not longer than grace.
func (r *Run) Drain() {
	r.hurry()
	for r.Next() != nil {
	}
}

// End returns how a ua that has ended did so: its exit status, and what it said of it.
func (r *Run) End() (status int, said string) { return r.status, r.said }

// Answer answers the question about a call: "yes", "no" or words.
func (r *Run) Answer(call, text string) error {
	out, err := exec.Command(r.cmd.Path, "answer", r.ID, call, text).CombinedOutput()
	if err != nil {
		return prog.Errorf(prog.Trouble, "%s", style.FirstLine(string(out), 400))
	}
	return nil
}
