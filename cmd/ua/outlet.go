package main

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

	"ua/internal/common/prog"
	"ua/internal/common/run"
)

// An outlet is a socket in the run's folder by which commands reach what their sandbox
// keeps from them. A program of ours answers it from outside. It is started when somebody
// connects.
type outlet struct {
	path   string
	socket *os.File      // listens
	token  string        // what who asks has to know
	done   chan struct{} // closed when nothing more comes of it

	mu    sync.Mutex
	stage *stage // the program, once it has been started
}

// socketPathMax is the longest path of a Unix socket (unix(7), sun_path).
const socketPathMax = 107

// openOutlet makes the socket.
func (l *loop) openOutlet(name string) (*outlet, error) {
	path := filepath.Join(l.run.Dir, name)
	if beside := filepath.Dir(l.run.Dir); len(path) > socketPathMax && filepath.Base(beside) == run.SubFolder {
		path = filepath.Join(beside, l.run.ID[len(l.run.ID)-6:]+"-"+name) // as a try can see it, too
	}
	if len(path) > socketPathMax {
		dir, err := os.MkdirTemp("", "ua")
		if err != nil {
			return nil, prog.Errorf(prog.Trouble, "the socket %s: %v", name, err)
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
		return nil, prog.Errorf(prog.Trouble, "%s: %v", path, err)
	}
	return &outlet{path: path, socket: os.NewFile(uintptr(fd), path), token: rand.Text(),
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

// serve waits for a connection and has start start the program that takes it, whose
// lines go to line. failed is called with why it could not be started.
func (o *outlet) serve(start func() (*os.File, error), line func([]byte), failed func(error)) {
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
		each(out, o.stage.name, line)
		o.stage.wait(grace)
	}
}

func readable(fd int) bool {
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n > 0
}

// start starts the program with the socket and the token as its descriptors 3 and 4, and
// what says gives as 5, and returns what it writes.
func (o *outlet) start(c command, says ...*os.File) (*os.File, error) {
	token, err := pipe()
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(token.w, o.token)
	token.w.Close()
	fd, err := unix.Dup(int(o.socket.Fd()))
	if err != nil {
		return nil, err
	}
	c.extra = append([]*os.File{os.NewFile(uintptr(fd), "socket"), token.r}, says...)
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	said, err := pipe()
	if err != nil {
		return nil, err
	}
	s, err := c.start(null, said.w, make(chan *stage, 1))
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stage = s
	return said.r, nil
}

// close ends the program and waits for its last lines.
func (o *outlet) close(runDir string) {
	o.socket.Close()
	o.mu.Lock()
	s := o.stage
	o.mu.Unlock()
	if s != nil {
		s.signal(syscall.SIGTERM)
		if !s.wait(grace / 5) {
			s.signal(syscall.SIGKILL)
		}
	}
	select {
	case <-o.done:
	case <-time.After(grace / 5):
	}
	os.Remove(o.path)
	if dir := filepath.Dir(o.path); dir != runDir && strings.HasPrefix(filepath.Base(dir), "ua") {
		os.Remove(dir)
	}
}
