package stage

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"ua/internal/common/prog"
)

// A Command is how a stage is started.
type Command struct {
	Name string // as the journal names it
	Argv []string
	Env  []string

	Own   bool // a process group of its own, which the terminal's Ctrl-C misses
	Runs  bool // commands of the model: no descriptor of the terminal is theirs
	Group bool // signals go to its whole group
	Looks bool // it is the sandbox that takes a last look at guarded files

	Extra []*os.File // its descriptors from 3 on; closed here once it has started
}

// Builtin returns the command of one of our own programs.
func Builtin(name string, args ...string) (Command, error) {
	path, err := prog.FindSibling(name)
	if err != nil {
		return Command{}, err
	}
	return Command{Name: name, Argv: append([]string{path}, args...), Own: true,
		Env: append(os.Environ(), OneProcessor()...)}, nil
}

// OneProcessor is the variable that has the Go runtime run one goroutine at a time, none
// where the user says how many: a stage mostly waits, and a tenth of a short run's CPU
// would go into threads that have nothing to do (package runtime, GOMAXPROCS).
func OneProcessor() []string {
	if _, ok := os.LookupEnv("GOMAXPROCS"); ok {
		return nil
	}
	return []string{"GOMAXPROCS=1"}
}

// Custom returns the command of a stage that the user replaces by a shell line. It
// stays in the terminal's foreground group, where ssh can ask for a password.
func Custom(name, line string) Command {
	return Command{Name: name, Argv: []string{"/bin/sh", "-c", line}, Env: os.Environ()}
}

// Start starts the program between two pipe ends and closes them here. Its
// stderr is ours or, where commands could inherit it, a pipe that is printed with
// nothing in it that could drive a terminal. The kernel ties the parent's death
// signal to the thread that starts the program (prctl(2), PR_SET_PDEATHSIG), and Go
// ends no thread that no goroutine is locked to.
//
// The stage is sent to ended when it has; nil is for one that nobody waits for.
func (c Command) Start(stdin, stdout *os.File, ended chan<- *Stage) (*Stage, error) {
	s := &Stage{command: c, done: make(chan struct{})}
	// A session of its own has no controlling terminal to open as /dev/tty.
	attr := prog.DieWithParent(&syscall.SysProcAttr{Setpgid: c.Own && !c.Runs,
		Setsid: c.Own && c.Runs}, syscall.SIGTERM)
	stderr := os.Stderr
	var said Ends
	if c.Runs {
		var err error
		if said, err = Pipe(); err != nil {
			return nil, err
		}
		stderr, s.printed = said.W, make(chan struct{})
	}
	files := append([]*os.File{stdin, stdout, stderr}, c.Extra...)
	var err error
	s.proc, err = startProcess(c.Argv, c.Env, files, attr)
	for _, f := range append(c.Extra, stdin, stdout) {
		f.Close()
	}
	if c.Runs {
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

// StartStatus returns the exit status for a program that could not be started.
func StartStatus(err error) int {
	if status := prog.Status(err); status != prog.Trouble {
		return status
	}
	if errors.Is(err, fs.ErrNotExist) {
		return prog.NotFound
	}
	return prog.Trouble
}
