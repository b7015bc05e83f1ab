package broker

import (
	"context"
	"crypto/hmac"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ua/cmd/ua-try/internal/tree"
	"ua/internal/common/confine"
	"ua/internal/common/places"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/verdict"
)

// A Server runs commands in tries for processes that cannot. It decides everything but
// the command: the try covers the server's own working folder, Around is the sandbox, and
// Except is left out of the try.
type Server struct {
	Socket  int    // that listens
	Secret  string // of the tokens (run.TriesToken)
	Lives   string // the folder that has a file for each command that goes on (run.LiveName)
	Widest  verdict.Profile
	Program string // ua-try
	Dir     string // the working folder
	Except  []string
	Around  []string // ua-sandbox and its options
	AtOnce  int

	mu    sync.Mutex
	made  []string // the folders of the tries, oldest first
	verbs sync.Mutex

	ctx   context.Context // ends when all has to end
	tasks sync.WaitGroup
}

// Serve serves until a signal comes, and then ends all that runs. The error is that of
// accept(2).
func (s *Server) Serve(signals <-chan os.Signal) error {
	var halt context.CancelFunc
	s.ctx, halt = context.WithCancel(context.Background())
	defer halt()
	failed := make(chan error, 1)
	go func() { failed <- s.accept() }()
	var err error
	select {
	case <-signals:
	case err = <-failed:
	}
	halt()
	s.tasks.Wait()
	return err
}

// accept takes connections. Up to AtOnce requests are served at the same time, and others
// wait for a place.
func (s *Server) accept() error {
	set := &places.Set{Most: s.AtOnce, Open: maxOpen, Young: young, Wait: maxWait,
		Share: max(s.AtOnce*3/4, 1)}
	for {
		fd, _, err := unix.Accept4(s.Socket, unix.SOCK_CLOEXEC)
		switch err {
		case nil:
			place := set.Take(s.ctx, func() { _ = unix.Shutdown(fd, unix.SHUT_RDWR) })
			if place == nil {
				unix.Close(fd)
				return nil
			}
			s.tasks.Go(func() {
				defer unix.Close(fd)
				defer place.Leave()
				s.attend(fd, place)
			})
		case unix.EAGAIN:
			_, _ = unix.Poll([]unix.PollFd{{Fd: int32(s.Socket), Events: unix.POLLIN}}, -1)
		case unix.EINTR, unix.ECONNABORTED:
		case unix.EMFILE, unix.ENFILE, unix.ENOBUFS, unix.ENOMEM: // others hold them for a while
			time.Sleep(pause)
		default:
			return fmt.Errorf("accept: %w", err)
		}
	}
}

// attend reads the request of a connection, does it and answers.
func (s *Server) attend(fd int, place *places.Place) {
	var files []*os.File
	var q Request
	err := s.within(fd, unix.SHUT_RD, func() (err error) {
		if files, err = standard(fd); err != nil {
			return err
		}
		line, err := readLine(fd)
		if err == nil {
			q, err = decode(line)
		}
		return err
	})
	defer func() {
		for _, f := range files {
			f.Close()
		}
	}()
	var r Reply
	if err == nil {
		r = s.answer(fd, &q, files, place)
	} else {
		r = refusal("no request: %v", err)
	}
	text, err := json.Marshal(r)
	// The work is done, so a client that is slow to read keeps nobody waiting.
	place.Yield()
	if err == nil {
		_ = s.within(fd, unix.SHUT_RDWR, func() error { return writeAll(fd, append(text, '\n')) })
	}
}

// within does something that waits for the other side. When that takes too long, or the
// server ends, the given way of the connection is shut, which ends the wait.
func (s *Server) within(fd, way int, do func() error) error {
	done, watched := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(watched)
		select {
		case <-done:
			return
		case <-s.ctx.Done():
			// An answer to who listens is on its way at once.
			select {
			case <-done:
				return
			case <-time.After(pause):
			}
		case <-time.After(requestTime):
		}
		_ = unix.Shutdown(fd, way)
	}()
	err := do()
	close(done)
	<-watched
	return err
}

// standard receives the three standard files of the client.
func standard(fd int) (files []*os.File, err error) {
	one, rights := make([]byte, 1), make([]byte, unix.CmsgSpace(3*4))
	var size int
	if _, err := retry(func() (n int, err error) {
		n, size, _, _, err = unix.Recvmsg(fd, one, rights, unix.MSG_CMSG_CLOEXEC)
		return n, err
	}); err != nil {
		return nil, err
	}
	messages, err := unix.ParseSocketControlMessage(rights[:size])
	for _, m := range messages {
		fds, _ := unix.ParseUnixRights(&m)
		for _, fd := range fds {
			files = append(files, os.NewFile(uintptr(fd), "standard"))
		}
	}
	if err == nil && len(files) != 3 {
		err = errors.New("without standard files")
	}
	return files, err
}

// answer checks the token and waits for a place before it does a request. A command that
// may not write can only look at tries.
func (s *Server) answer(fd int, q *Request, files []*os.File, place *places.Place) Reply {
	profile, client := s.profile(q.Token)
	switch {
	case profile == "":
		return refusal("that is not this command's to ask")
	case profile == verdict.ProfileReadOnly && q.Verb != "ls" && q.Verb != "diff":
		return refusal("not run: this command may not write, so that it needs no try")
	case !place.Hold(s.ctx, client):
		return refusal("not run: too many connections, or the end of the run")
	}
	if q.Verb != "" {
		return s.verb(fd, q, files)
	}
	return s.run(fd, q, profile, files)
}

// profile returns the profile that a token stands for and the ID of its command, or ""
// for none. The token of a command that has ended stands for none.
func (s *Server) profile(token string) (p verdict.Profile, client string) {
	start, id, _ := strings.Cut(token, "-")
	for _, name := range verdict.Profiles() {
		p := verdict.Profile(name)
		// hmac.Equal takes as long for a wrong token as for a right one.
		if p.Within(s.Widest) && hmac.Equal([]byte(start), []byte(run.TriesToken(s.Secret, name))) &&
			s.goesOn(name, id) {
			return p, id
		}
	}
	return "", ""
}

// goesOn reports whether the command with this profile and ID is still running.
func (s *Server) goesOn(profile, id string) bool {
	if id == "" || strings.ContainsRune(id, '/') {
		return false
	}
	info, err := os.Lstat(filepath.Join(s.Lives, run.LiveName(profile, id)))
	return err == nil && info.Mode().IsRegular()
}

// refusal returns the reply for a command that was not run.
func refusal(format string, a ...any) Reply {
	return Reply{Status: prog.NotConfined, Error: fmt.Sprintf(format, a...)}
}

// run runs a command in a new try and returns how it ended.
func (s *Server) run(fd int, q *Request, profile verdict.Profile, files []*os.File) Reply {
	if len(q.Words) == 0 {
		return refusal("no command")
	}
	if dir := string(q.Dir); filepath.Clean(dir) != dir || !confine.Under(dir, s.Dir) {
		r := refusal("not run: %s is not in the run's working folder", dir)
		r.Hint = "a try below a run covers that folder: " + s.Dir
		return r
	}
	// The server leaves out only what it was told to leave out itself.
	for _, path := range q.Except {
		if confine.Under(string(path), s.Dir) &&
			!slices.ContainsFunc(s.Except, func(e string) bool {
				return confine.Under(string(path), e)
			}) {
			return refusal("not run: --except %s: a try below a run covers all that the run can write",
				string(path))
		}
	}
	told, tell, err := os.Pipe()
	if err != nil {
		return refusal("not run: %v", err)
	}
	defer told.Close()
	args := []string{"--try-fd", "3"}
	if q.Quiet {
		args = append(args, "--quiet")
	}
	args = prog.Repeat(args, "--except", s.Except)
	environ, names := Pack(q)
	environ = append(environ, run.EnvTryTitle+"="+title(q.Words))
	// The command line is ua-try, then the sandbox, then the enter stage.
	args = append(append(args, "--"), s.Around...)
	args = append(args, "--profile", string(profile)) // the last one holds
	args = prog.Repeat(args, "--env", names)
	args = append(args, "--", s.Program, EnterVerb)
	r := s.start(fd, args, environ, append(files, tell))
	tell.Close()
	text, _ := io.ReadAll(told)
	if dirs := strings.Split(string(text), "\x00"); len(dirs) > 1 {
		dir := dirs[len(dirs)-2]
		r.Try = tree.Name(dir)
		s.mu.Lock()
		s.made = append(s.made, dir)
		s.mu.Unlock()
	}
	return r
}

// title returns a command as one line.
func title(command []tree.Name) string {
	words := make([]string, len(command))
	for i, word := range command {
		words[i] = string(word)
	}
	return strings.Join(words, " ")
}

// start runs ua-try for a connection until it ends, and passes signals on to it. files
// become its descriptors from 0 on.
func (s *Server) start(fd int, args, environ []string, files []*os.File) Reply {
	cmd := exec.Command(s.Program, args...)
	cmd.Env, cmd.Dir = environ, s.Dir
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = files[0], files[1], files[2], files[3:]
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: unix.SIGKILL}
	if err := cmd.Start(); err != nil {
		return refusal("not run: %v", err)
	}
	ended, gone := make(chan struct{}), make(chan struct{})
	go func() {
		_ = cmd.Wait()
		// So that passOn stops reading. Later the number could be another connection's.
		_ = unix.Shutdown(fd, unix.SHUT_RD)
		close(ended)
	}()
	go func() {
		passOn(fd, cmd.Process)
		close(gone)
	}()
	select {
	case <-ended:
	case <-gone:
		end(cmd.Process, ended)
	case <-s.ctx.Done():
		end(cmd.Process, ended)
	}
	<-gone
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		return Reply{Signal: int(status.Signal())}
	}
	return Reply{Status: status.ExitStatus()}
}

// passOn passes signals on until the client is gone. Other numbers than those of common
// signals are ignored.
func passOn(fd int, p *os.Process) {
	one := make([]byte, 1)
	for {
		n, err := retry(func() (int, error) { return unix.Read(fd, one) })
		if err != nil || n == 0 {
			return
		}
		switch sig := syscall.Signal(one[0]); sig {
		case unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGUSR1, unix.SIGUSR2:
			_ = p.Signal(sig)
		}
	}
}

// end ends a process, by SIGKILL if it has not ended within endTime.
func end(p *os.Process, ended <-chan struct{}) {
	_ = p.Signal(unix.SIGTERM)
	select {
	case <-ended:
		return
	case <-time.After(endTime):
	}
	_ = p.Kill()
	<-ended
}
