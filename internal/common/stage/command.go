package stage

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"ua/internal/common/config"
	"ua/internal/common/prog"
)

// A Command says how a stage is started.
type Command struct {
	Name string // as the journal names it
	// The program's path and arguments, and its whole environment.
	Argv []string
	Env  []string
	Dir  string // where it runs; "": here

	Own   bool // a process group of its own, which the terminal's Ctrl-C misses
	Runs  bool // commands of the model: no descriptor of the terminal is theirs
	Group bool // signals go to its whole group
	Line  bool // a shell line: what it starts is the stage, and what that says is escaped
	Looks bool // it is the sandbox that takes a last look at protected files

	// Before prepares the terminal for what the stage says there; nil: nothing has to be.
	Before func(print func())
	// Said takes each line of its stderr, of which a long one comes in pieces; nil: they are
	// printed.
	Said func(line string)

	Extra []*os.File // its descriptors from 3 on; closed here once it has started
}

// Builtin returns the command that starts one of ua's own programs.
func Builtin(name string, args ...string) (Command, error) {
	path, err := prog.FindSibling(name)
	if err != nil {
		return Command{}, err
	}
	return Command{Name: name, Argv: append([]string{path}, args...), Own: true,
		Env: append(os.Environ(), OneProcessor()...)}, nil
}

// OneProcessor returns the variable that lets the Go runtime run one goroutine at a time,
// or nothing if the user has set it. A stage mostly waits: in a short run a tenth of the
// CPU time would go into threads without work (package runtime, GOMAXPROCS).
func OneProcessor() []string {
	if _, ok := os.LookupEnv("GOMAXPROCS"); ok {
		return nil
	}
	return []string{"GOMAXPROCS=1"}
}

// Custom returns the command of a stage that the user has replaced with a shell line. It
// stays in the foreground process group of the terminal, so that ssh can ask for a
// password. The line runs outside of any sandbox: the shell finds no program where commands
// can write.
func Custom(name, line string) Command {
	return Command{Name: name, Argv: []string{"/bin/sh", "-c", line}, Line: true,
		Env: config.OutsideEnv(os.Environ())}
}

// Start starts the program between two ends of pipes, which are then closed here. Its stderr is
// ours. If commands could inherit it, or the program may print there what the model has said, or
// the terminal has to be prepared, it is a pipe instead, which is printed without anything that
// could control a terminal, or told. The death signal of the parent is tied to the thread that
// starts the program (prctl(2), PR_SET_PDEATHSIG). Go ends a thread only when a goroutine is
// locked to it.
//
// The stage is sent to ended when it has ended; ended may be nil.
func (c Command) Start(stdin, stdout *os.File, ended chan<- *Stage) (*Stage, error) {
	s := &Stage{command: c, done: make(chan struct{})}
	// A new session has no controlling terminal that could be opened as /dev/tty.
	attr := prog.DieWithParent(&syscall.SysProcAttr{Setpgid: c.Own && !c.Runs,
		Setsid: c.Own && c.Runs}, syscall.SIGTERM)
	stderr := os.Stderr
	var said Ends
	printed := c.Runs || c.Line || c.Before != nil || c.Said != nil
	if printed {
		var err error
		if said, err = Pipe(); err != nil {
			return nil, err
		}
		stderr, s.printed = said.W, make(chan struct{})
	}
	files := append([]*os.File{stdin, stdout, stderr}, c.Extra...)
	var err error
	s.proc, err = c.startProcess(files, attr)
	for _, f := range append(c.Extra, stdin, stdout) {
		f.Close()
	}
	if printed {
		said.W.Close()
		go s.print(said.R)
	}
	if err != nil {
		return nil, prog.Errorf(StartStatus(err), "%s: %v", c.Name, err)
	}
	go func() {
		s.proc.wait()
		close(s.done)
		if ended != nil {
			ended <- s
		}
	}()
	return s, nil
}

// StartStatus returns the exit status that reports a program which could not be started.
func StartStatus(err error) int {
	if status := prog.Status(err); status != prog.Trouble {
		return status
	}
	if errors.Is(err, fs.ErrNotExist) {
		return prog.NotFound
	}
	return prog.Trouble
}

// A subprocess is a program that was started and is waited for.
type subprocess struct {
	pid    int
	handle int                // pidfd_open(2); -1 where there is none
	status syscall.WaitStatus // once it has ended
}

// startProcess starts the program with the files as its descriptors from 0 on. Package os
// would first start a process to find out whether the kernel supports pidfd_open(2), and
// would then keep a thread waiting for each program.
//
// Our own programs wait for their input with Go's network poller: one that waited in
// read(2) would keep the one processor that it has from its other goroutines until the
// runtime takes it away. A program of the user's expects to block.
func (c Command) startProcess(files []*os.File, attr *syscall.SysProcAttr) (*subprocess, error) {
	p := &subprocess{handle: -1}
	withHandle(attr, &p.handle)
	env := (&exec.Cmd{Env: c.Env}).Environ() // of two values of a variable the last one holds
	fds := make([]uintptr, len(files))
	for i, f := range files {
		if i < 2 && !c.Line {
			fds[i] = descriptor(f)
		} else {
			fds[i] = f.Fd()
		}
	}
	pid, _, err := syscall.StartProcess(c.Argv[0], c.Argv, &syscall.ProcAttr{Dir: c.Dir, Env: env,
		Files: fds, Sys: attr})
	runtime.KeepAlive(files)
	if err != nil {
		return nil, &os.PathError{Op: "fork/exec", Path: c.Argv[0], Err: err}
	}
	p.pid = pid
	return p, nil
}

// descriptor returns the number of an open file, which Fd would make blocking. A closed
// file has none.
func descriptor(f *os.File) uintptr {
	fd := ^uintptr(0)
	if conn, err := f.SyscallConn(); err == nil {
		_ = conn.Control(func(n uintptr) { fd = n })
	}
	return fd
}

// wait waits until the process has ended.
func (p *subprocess) wait() {
	if p.handle < 0 || !p.waitHandle() {
		p.reap(0)
	}
}

// waitHandle waits with Go's network poller, which needs no thread, and reports whether
// that was possible. A PID file descriptor becomes readable when its process ends
// (pidfd_open(2)).
func (p *subprocess) waitHandle() bool {
	if syscall.SetNonblock(p.handle, true) != nil {
		syscall.Close(p.handle)
		return false
	}
	f := os.NewFile(uintptr(p.handle), "process")
	defer f.Close()
	conn, err := f.SyscallConn()
	return err == nil && conn.Read(func(uintptr) bool { return p.reap(syscall.WNOHANG) }) == nil
}

// reap collects the status of the process (wait4(2)) and reports whether it has ended.
func (p *subprocess) reap(options int) bool {
	for {
		pid, err := syscall.Wait4(p.pid, &p.status, options, nil)
		if err != syscall.EINTR {
			return pid == p.pid || err != nil
		}
	}
}
