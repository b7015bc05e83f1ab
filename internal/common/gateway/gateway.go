// Package gateway lets programs without a key reach a model: subagents, and the judge of a
// gate. Their requests are answered by ua-think serve, outside of the sandbox, with the key
// that they do not have.
package gateway

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"

	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/runfolder"
	"ua/internal/common/spending"
	"ua/internal/common/stage"
)

// A Gateway is the socket on which programs of a run reach a model, and the ledger of what
// it has answered. A nil Gateway is that of a run without one.
type Gateway struct {
	Path   string
	Token  string   // what who asks has to show
	Socket *os.File // listens; who answers gets a duplicate of it

	others spending.Others // tells the one that answers what is spent elsewhere of their budget
	served atomic.Bool     // Serve has begun
	done   chan struct{}   // closed when nothing more comes of it

	mu    sync.Mutex
	stage *stage.Stage // that answers, once it has been started
	seen  runfolder.Ledger
}

// PathMax is the longest path of a Unix socket (unix(7), sun_path).
const PathMax = 107

// Listen listens at a path, where the socket of a program that was killed may be left. Only its
// owner can connect to it.
func Listen(path string) (*net.UnixListener, error) {
	if len(path) > PathMax {
		return nil, prog.Errorf(prog.Trouble, "%s: the path is too long for a socket", path).
			Hintf("give TMPDIR a shorter one")
	}
	os.Remove(path)
	private := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) (err error) {
		failed := c.Control(func(fd uintptr) { err = syscall.Fchmod(int(fd), 0o600) })
		return cmp.Or(failed, err) // before it has a name
	}}
	l, err := private.Listen(context.Background(), "unix", path)
	if err != nil {
		return nil, prog.Errorf(prog.Status(err), "%v", err)
	}
	return l.(*net.UnixListener), nil
}

// Open creates a socket with that name for a run. A socket's path has a limit (unix(7)),
// so a long one moves beside the run's folder or into a temporary folder.
func Open(r run.Run, name string) (*Gateway, error) {
	path := filepath.Join(r.Dir, name)
	beside := filepath.Dir(r.Dir)
	if len(path) > PathMax && filepath.Base(beside) == run.SubFolder {
		path = filepath.Join(beside, r.ID[len(r.ID)-6:]+"-"+name) // as a try can see it, too
	}
	if len(path) > PathMax {
		dir, err := os.MkdirTemp("", "ua")
		if err != nil {
			return nil, prog.Errorf(prog.Status(err), "the socket %s: %v", name, err)
		}
		path = filepath.Join(dir, name)
	}
	return OpenAt(path)
}

// OpenAt listens at a path for who answers.
func OpenAt(path string) (*Gateway, error) {
	l, err := Listen(path)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	l.SetUnlinkOnClose(false)
	socket, err := l.File()
	return &Gateway{Path: path, Token: rand.Text(), Socket: socket, done: make(chan struct{})}, err
}

// Env returns the variables that tell a command of the gateway; none without one.
func (g *Gateway) Env() []string {
	if g == nil {
		return nil
	}
	return []string{run.EnvGateway + "=" + g.Path, run.EnvToken + "=" + g.Token}
}

// server returns the arguments with which a ua-think answers, and the files that it gets as
// descriptors from 3 on. What those before it have answered is spent by others. The token goes
// through a pipe, so that no command line shows it.
func (g *Gateway) server() (args []string, files []*os.File, err error) {
	token, w, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	fmt.Fprintln(w, g.Token)
	w.Close()
	fd, err := unix.FcntlInt(g.Socket.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	spent, err := g.others.Open(g.Answered())
	return []string{"serve", "--events", "--socket-fd", "3", "--token-fd", "4", "--spent-fd", "5"},
		[]*os.File{os.NewFile(uintptr(fd), "socket"), token, spent}, err
}

// Remove closes the socket and removes it.
func (g *Gateway) Remove() {
	g.others.Close()
	g.Socket.Close()
	os.Remove(g.Path)
}
