// Package gateway makes the socket on which programs without a key reach a model, and what
// ua-think serve, which answers there from outside of the sandbox, is started with.
package gateway

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/spending"
)

// A Gateway is such a socket. Its embedded Others tells the one that answers what is spent
// elsewhere of the budget that they share.
type Gateway struct {
	spending.Others
	Path   string
	Token  string   // what who asks has to show
	Socket *os.File // listens; who answers gets a duplicate of it
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

// Open listens at a path for who answers.
func Open(path string) (*Gateway, error) {
	l, err := Listen(path)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	l.SetUnlinkOnClose(false)
	socket, err := l.File()
	return &Gateway{Path: path, Token: rand.Text(), Socket: socket}, err
}

// Env returns the variables that tell a command of the gateway; none without one.
func (g *Gateway) Env() []string {
	if g == nil {
		return nil
	}
	return []string{run.EnvGateway + "=" + g.Path, run.EnvToken + "=" + g.Token}
}

// Server returns the arguments with which a ua-think answers, and the files that it gets as
// descriptors from 3 on. before is what those before it have answered. The token goes through
// a pipe, so that no command line shows it.
func (g *Gateway) Server(before spending.Sum) (args []string, files []*os.File, err error) {
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
	spent, err := g.Others.Open(before)
	return []string{"serve", "--events", "--socket-fd", "3", "--token-fd", "4", "--spent-fd", "5"},
		[]*os.File{os.NewFile(uintptr(fd), "socket"), token, spent}, err
}

// Remove closes the socket and removes it.
func (g *Gateway) Remove() {
	g.Others.Close()
	g.Socket.Close()
	os.Remove(g.Path)
}
