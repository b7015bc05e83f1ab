package ring

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/queue"
)

// A stage is one program of the ring. It has a process group of its own, which no signal
// of the terminal reaches, and it dies with us.
type stage struct {
	name  string
	cmd   *exec.Cmd
	in    *queue.Queue
	done  chan struct{} // closed when it has ended
	ended bool          // that was posted
}

// builtin returns the command line of one of our own programs; the error says that it is
// missing.
func builtin(name string, args []string) (argv []string, err error) {
	path, err := prog.FindSibling(name)
	if err != nil {
		return nil, err
	}
	return append([]string{path}, args...), nil
}

// start starts a stage. post calls line for each line of its output, said for each line
// of its stderr, and end when it has ended. The stage gets the files as descriptors from
// 3 on, and start closes them.
func start(name string, argv, env []string,
	post func(func()), line func([]byte), said func(string), end func(*stage),
	files ...*os.File) (*stage, error) {
	return startIn("", name, argv, env, post, line, said, end, files...)
}

// startIn starts a stage, as start does, in a folder.
func startIn(dir, name string, argv, env []string,
	post func(func()), line func([]byte), said func(string), end func(*stage),
	files ...*os.File) (*stage, error) {
	s := &stage{name: name, cmd: exec.Command(argv[0], argv[1:]...), done: make(chan struct{})}
	s.cmd.Env, s.cmd.Dir = env, dir
	s.cmd.SysProcAttr = prog.DieWithParent(&syscall.SysProcAttr{Setpgid: true}, syscall.SIGTERM)
	var pipes [3]ends
	for i := range pipes {
		var err error
		if pipes[i], err = pipe(); err != nil {
			return nil, err
		}
	}
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr, s.cmd.ExtraFiles = pipes[0].r, pipes[1].w, pipes[2].w,
		files
	err := s.cmd.Start()
	for _, f := range append(files, pipes[0].r, pipes[1].w, pipes[2].w) {
		f.Close()
	}
	if err != nil {
		return nil, prog.Errorf(prog.Trouble, "%s: %v", name, err)
	}
	s.in = queue.New(pipes[0].w)
	errors := make(chan struct{})
	go func() {
		defer close(errors)
		each(pipes[2].r, func(text string) { post(func() { said(text) }) })
	}()
	go func() {
		defer pipes[1].r.Close()
		r := event.NewReader(pipes[1].r)
		for {
			got, err := r.Line()
			if err != nil {
				break
			}
			if len(got) > 0 {
				got = bytes.Clone(got)
				post(func() { line(got) })
			}
		}
		// The last words on stderr come before the end.
		<-errors
		s.cmd.Wait()
		close(s.done)
		post(func() { s.ended = true; end(s) })
	}()
	return s, nil
}

// each calls do for every line of a file. A very long line comes in several pieces.
func each(f *os.File, do func(string)) {
	defer f.Close()
	r := bufio.NewReaderSize(f, 4<<10)
	for {
		text, _, err := r.ReadLine()
		if err != nil {
			return
		}
		do(string(text))
	}
}

// failure returns how the stage failed, "" where it did not.
func (s *stage) failure() string {
	ws, _ := s.cmd.ProcessState.Sys().(syscall.WaitStatus)
	switch {
	case ws.Signaled():
		return fmt.Sprintf("%s was ended by signal %d (%v)", s.name, ws.Signal(), ws.Signal())
	case ws.ExitStatus() != 0:
		return fmt.Sprintf("%s ended with status %d", s.name, ws.ExitStatus())
	}
	return ""
}

// alive reports whether the stage was started and has not ended.
func (s *stage) alive() bool { return s != nil && !s.ended }

// signal sends a signal to the stage's process group.
func (s *stage) signal(sig syscall.Signal) {
	if s.alive() {
		syscall.Kill(-s.cmd.Process.Pid, sig)
	}
}

// ends are the two ends of a pipe.
type ends struct{ r, w *os.File }

// pipe makes a pipe.
func pipe() (p ends, err error) {
	p.r, p.w, err = os.Pipe()
	return p, err
}
