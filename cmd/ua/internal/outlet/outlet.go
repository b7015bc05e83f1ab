// Package outlet has programs of ours answer, from outside, what commands in a sandbox ask by
// a socket.
package outlet

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ua/cmd/ua/internal/stage"
	"ua/internal/common/prog"
	"ua/internal/common/run"
)

// An Outlet is a socket in the run's folder by which commands reach what their sandbox
// keeps from them. A program of ours answers it from outside. It is started when somebody
// connects.
type Outlet struct {
	Path   string
	Token  string        // what who asks has to know
	socket *os.File      // listens
	done   chan struct{} // closed when nothing more comes of it

	mu    sync.Mutex
	stage *stage.Stage // the program, once it has been started
}

// socketPathMax is the longest path of a Unix socket (unix(7), sun_path).
const socketPathMax = 107

// Open makes the socket of a run with that name.
func Open(r run.Run, name string) (*Outlet, error) {
	path := filepath.Join(r.Dir, name)
	beside := filepath.Dir(r.Dir)
	if len(path) > socketPathMax && filepath.Base(beside) == run.SubFolder {
		path = filepath.Join(beside, r.ID[len(r.ID)-6:]+"-"+name) // as a try can see it, too
	}
	if len(path) > socketPathMax {
		dir, err := os.MkdirTemp("", "ua")
		if err != nil {
			return nil, prog.Errorf(prog.Status(err), "the socket %s: %v", name, err)
		}
		path = filepath.Join(dir, name)
	}
	if len(path) > socketPathMax {
		return nil, prog.Errorf(prog.Trouble, "%s: the path is too long for a socket", path).
			Hintf("give TMPDIR a shorter one")
	}
	os.Remove(path) // that of a run which was killed
	fd, err := listen(path)
	if err != nil {
		return nil, prog.Errorf(prog.Status(err), "%s: %v", path, err)
	}
	return &Outlet{Path: path, Token: rand.Text(), socket: os.NewFile(uintptr(fd), path),
		done: make(chan struct{})}, nil
}

// listen listens on a Unix socket that only its owner can connect to.
func listen(path string) (fd int, err error) {
	fd, err = unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return 0, err
	}
	unix.CloseOnExec(fd)
	if err = unix.SetNonblock(fd, true); err == nil {
		err = unix.Bind(fd, &unix.SockaddrUnix{Name: path})
	}
	if err == nil {
		err = os.Chmod(path, 0o600) // nobody listens yet
	}
	if err == nil {
		err = unix.Listen(fd, unix.SOMAXCONN)
	}
	if err != nil {
		unix.Close(fd)
	}
	return fd, err
}

// Serve waits for a connection and has start start the program that takes it, whose
// lines go to line. failed is called with why it could not be started.
func (o *Outlet) Serve(start func() (*os.File, error), line func([]byte), failed func(error)) {
	defer close(o.done)
	raw, err := o.socket.SyscallConn()
	if err != nil {
		return
	}
	for range 3 { // one that was killed has a successor
		if raw.Read(func(fd uintptr) bool { return readable(int(fd)) }) != nil {
			return // the run is over
		}
		out, err := start()
		if err != nil {
			failed(err)
			return
		}
		stage.Lines(out, o.stage.Name(), line)
		o.stage.Wait(stage.Grace)
	}
}

func readable(fd int) bool {
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n > 0
}

// Start starts the program with the socket and the token as its descriptors 3 and 4, and
// what says gives as 5, and returns what it writes.
func (o *Outlet) Start(c stage.Command, says ...*os.File) (*os.File, error) {
	token, err := stage.Pipe()
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(token.W, o.Token)
	token.W.Close()
	fd, err := unix.Dup(int(o.socket.Fd()))
	if err != nil {
		return nil, err
	}
	c.Extra = append([]*os.File{os.NewFile(uintptr(fd), "socket"), token.R}, says...)
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	said, err := stage.Pipe()
	if err != nil {
		return nil, err
	}
	s, err := c.Start(null, said.W, nil)
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stage = s
	return said.R, nil
}

// Close ends the program and waits for its last lines.
func (o *Outlet) Close(runDir string) {
	o.socket.Close()
	o.mu.Lock()
	s := o.stage
	o.mu.Unlock()
	if s != nil {
		s.Signal(syscall.SIGTERM)
		if !s.Wait(stage.Grace / 5) {
			s.Signal(syscall.SIGKILL)
		}
	}
	select {
	case <-o.done:
	case <-time.After(stage.Grace / 5):
	}
	os.Remove(o.Path)
	if dir := filepath.Dir(o.Path); dir != runDir && strings.HasPrefix(filepath.Base(dir), "ua") {
		os.Remove(dir)
	}
}
