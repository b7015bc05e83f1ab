// Package outlet starts programs of ua's that answer, outside of a sandbox, what commands
// in it ask through a socket.
package outlet

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ua/cmd/ua/internal/stage"
	"ua/internal/common/prog"
	"ua/internal/common/run"
)

// An Outlet is a socket in the run's folder through which commands reach something that
// their sandbox keeps from them. One of ua's programs answers on it from outside. That
// program is started when the first command connects.
type Outlet struct {
	Path   string
	Token  string        // what who asks has to know
	socket *os.File      // listens
	served atomic.Bool   // Serve has begun
	done   chan struct{} // closed when nothing more comes of it

	mu    sync.Mutex
	stage *stage.Stage // the program, once it has been started
}

// socketPathMax is the longest path of a Unix socket (unix(7), sun_path).
const socketPathMax = 107

// Open creates a socket with that name for a run. A socket's path has a limit (unix(7)),
// so a long one moves beside the run's folder or into a temporary folder.
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

// listen returns a listening Unix socket that only its owner can connect to. The mode is
// set between bind and listen, when nobody can connect yet.
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

// Serve waits for a connection and calls start, which starts the program that accepts it.
// Each line that the program prints goes to line. If it cannot be started, failed gets
// the error. A program that was killed is replaced, at most twice.
func (o *Outlet) Serve(start func() (*os.File, error), line func([]byte), failed func(error)) {
	o.served.Store(true)
	defer close(o.done)
	defer o.socket.Close() // who asks when nobody answers any more is to learn it at once
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

// readable reports whether a connection waits on the socket.
func readable(fd int) bool {
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n > 0
}

// Start starts the program with the socket as descriptor 3, the token as 4 and the files
// of says from 5 on, and returns a pipe with its output.
func (o *Outlet) Start(c stage.Command, says ...*os.File) (*os.File, error) {
	token, err := stage.Pipe()
	if err != nil {
		return nil, err
	}
	// Through a pipe, so that no command line shows the token.
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

// Stage returns the program that answers, nil before the first one has been started.
func (o *Outlet) Stage() *stage.Stage {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.stage
}

// Close ends the program, waits a short time for its last lines and removes the socket. It
// may be called again.
func (o *Outlet) Close(runDir string) {
	o.socket.Close()
	if s := o.Stage(); s != nil {
		s.Signal(syscall.SIGTERM)
		if !s.Wait(stage.Grace / 5) {
			s.Signal(syscall.SIGKILL)
		}
	}
	if o.served.Load() {
		select {
		case <-o.done:
		case <-time.After(stage.Grace / 5):
		}
	}
	os.Remove(o.Path)
	if dir := filepath.Dir(o.Path); dir != runDir && strings.HasPrefix(filepath.Base(dir), "ua") {
		os.Remove(dir)
	}
}
