package ring

import (
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"ua/internal/common/event"
	"ua/internal/common/run"
)

// A Gateway is the way to the model for a subagent inside a sandbox, where no key is. It
// is a socket that ua-think serve answers from outside, and is started with the first
// subagent.
type Gateway struct {
	Path   string
	token  string
	socket *os.File
	stage  *stage
}

// NewGateway makes the socket in the folder, and the token that a subagent has to show.
func NewGateway(folder string) (*Gateway, error) {
	g := &Gateway{Path: filepath.Join(folder, "gateway.sock"), token: rand.Text()}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: g.Path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	defer l.Close()
	// The socket has to outlive the listener: ua-think gets a duplicate of it.
	l.SetUnlinkOnClose(false)
	g.socket, err = l.File()
	return g, err
}

// Delegate prepares the ring for a command that starts ua. It returns the variables that
// make ua a subagent of this session.
func (r *Ring) Delegate() ([]string, error) {
	variables := []string{run.EnvDir + "=" + r.Run.Dir, run.EnvDepth + "=1"}
	g := r.Gateway
	if g == nil {
		return variables, nil
	}
	if !g.stage.alive() {
		if err := r.startGateway(); err != nil {
			return nil, err
		}
	}
	return append(variables, run.EnvGateway+"="+g.Path, run.EnvToken+"="+g.token), nil
}

// startGateway starts ua-think serve with the socket and the token as descriptors. The
// token goes through a pipe, so that no command line shows it.
func (r *Ring) startGateway() error {
	g := r.Gateway
	token, err := pipe()
	if err != nil {
		return err
	}
	fmt.Fprintln(token.w, g.token)
	token.w.Close()
	fd, err := unix.FcntlInt(g.socket.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return err
	}
	argv, err := builtin("ua-think", append([]string{"serve", "--socket-fd", "3", "--token-fd",
		"4"}, r.Think...))
	if err != nil {
		return err
	}
	g.stage, err = start("ua-think", argv, os.Environ(), r.Post, r.spent, r.says("ua-think"), r.end,
		os.NewFile(uintptr(fd), "socket"), token.r)
	return err
}

// spent passes on what the gateway reports: who asked, what the model proposed, and the
// cost.
func (r *Ring) spent(line []byte) {
	if typ := event.Type(line); typ == "model_request" || typ == "proposal" {
		r.heard(line)
	}
}
