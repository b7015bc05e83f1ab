package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"syscall"
	"time"

	"ua/internal/common/prog"
	"ua/internal/common/style"
)

// A stage is one program of the ring.
type stage struct {
	name    string // as the journal names it
	proc    *subprocess
	leads   bool          // a process group of its own
	done    chan struct{} // closed when the program has ended
	printed chan struct{} // closed when its stderr has been printed; nil if that is ours
	words   lastWords     // the end of that
	group   bool          // signals go to its whole group
	looks   bool          // it is the sandbox that takes a last look at guarded files
}

// A command is how a stage is started.
type command struct {
	name string
	argv []string
	own  bool // a process group of its own, which the terminal's Ctrl-C misses
	runs bool // commands of the model: no descriptor of the terminal is theirs
	env  []string

	group bool // signals go to its whole group
	looks bool // it is the sandbox that takes a last look at guarded files

	bounds []bound // on what it and all below it use

	extra []*os.File // its descriptors from 3 on; closed here once it has started
}

// builtin returns the command of one of our own programs.
func builtin(name string, args ...string) (command, error) {
	path := prog.Sibling(name)
	if path == "" {
		return command{}, prog.Errorf(prog.NotFound, "%s: not found beside ua or on PATH", name).
			Hintf("make install puts all programs into one folder")
	}
	return command{name: name, argv: append([]string{path}, args...), own: true,
		env: append(os.Environ(), single()...)}, nil
}

// mostlyWait has the Go runtime run one goroutine at a time, as single does for the
// stages.
func mostlyWait() {
	if single() != nil {
		runtime.GOMAXPROCS(1)
	}
}

// single has the Go runtime of a stage run one goroutine at a time, unless the
// user says how many: a stage mostly waits, and a tenth of a short run's CPU
// would go into threads that have nothing to do (package runtime, GOMAXPROCS).
func single() []string {
	if _, ok := os.LookupEnv("GOMAXPROCS"); ok {
		return nil
	}
	return []string{"GOMAXPROCS=1"}
}

// custom returns the command of a stage that the user replaces by a shell line. It
// stays in the terminal's foreground group, where ssh can ask for a password.
func custom(name, line string) command {
	return command{name: name, argv: []string{"/bin/sh", "-c", line}, env: os.Environ()}
}

// start starts the program between two pipe ends and closes them here. Its
// stderr is ours or, where commands could inherit it, a pipe that is printed with
// nothing in it that could drive a terminal. The kernel ties the parent's death
// signal to the thread that starts the program (prctl(2), PR_SET_PDEATHSIG), and Go
// ends no thread that no goroutine is locked to.
//
// The stage is sent to ended when it has.
func (c command) start(stdin, stdout *os.File, ended chan<- *stage) (*stage, error) {
	s := &stage{name: c.name, done: make(chan struct{}), group: c.group, looks: c.looks}
	s.leads = c.own
	// A session of its own has no controlling terminal to open as /dev/tty.
	attr := dieWithParent(&syscall.SysProcAttr{Setpgid: c.own && !c.runs,
		Setsid: c.own && c.runs})
	stderr := os.Stderr
	var said pipeEnds
	if c.runs {
		var err error
		if said, err = pipe(); err != nil {
			return nil, err
		}
		stderr, s.printed = said.w, make(chan struct{})
	}
	files := append([]*os.File{stdin, stdout, stderr}, c.extra...)
	var err error
	s.proc, err = startProcess(c.argv, c.env, files, attr)
	for _, f := range append(c.extra, stdin, stdout) {
		f.Close()
	}
	if c.runs {
		said.w.Close()
		go s.print(said.r)
	}
	if err != nil {
		return nil, prog.Errorf(unstarted(err), "%s: %v", c.name, err)
	}
	if len(c.bounds) > 0 {
		limit(s.proc.pid, c.bounds)
	}
	go func() {
		s.proc.wait()
		close(s.done)
		ended <- s
	}()
	return s, nil
}

// print prints what the stage and what it started say on stderr.
func (s *stage) print(r *os.File) {
	defer close(s.printed)
	defer r.Close()
	e := style.NewEscaper(os.Stderr)
	io.Copy(io.MultiWriter(e, &s.words), r)
	e.Flush()
}

// unstarted returns the exit status for a program that could not be started.
func unstarted(err error) int {
	for _, passing := range []error{syscall.EAGAIN, syscall.ENOMEM, syscall.EMFILE,
		syscall.ENFILE} {
		if errors.Is(err, passing) {
			return prog.TryLater
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return prog.NotFound
	}
	return prog.Trouble
}

// lookTime is how long ua-sandbox may take to look at guarded files and to remove the
// commands' TMPDIR, before it is killed.
const lookTime = 2 * time.Second

// signal sends a signal to the stage, if it still runs; SIGKILL to its whole
// group.
func (s *stage) signal(sig syscall.Signal) {
	if s == nil || s.hasEnded() {
		return
	}
	pid := s.proc.pid
	if sig == syscall.SIGKILL && s.looks {
		killBelow(pid) // with which all commands end; it takes its last look then
		if s.wait(lookTime) {
			return
		}
	}
	if (sig == syscall.SIGKILL || s.group) && s.leads {
		pid = -pid
	}
	syscall.Kill(pid, sig)
}

// hasEnded reports whether the stage's program has.
func (s *stage) hasEnded() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// wait waits for the stage's end, at most for the duration.
func (s *stage) wait(d time.Duration) bool {
	if s == nil {
		return true
	}
	select {
	case <-s.done:
	case <-time.After(d):
	}
	return s.hasEnded()
}

// failure returns the exit status of a stage that has ended and how it ended, ""
// when all was well.
func (s *stage) failure() (status int, how string) {
	if !s.hasEnded() {
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
