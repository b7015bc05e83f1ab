package ring

import (
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"ua/internal/common/journal"
	"ua/internal/common/run"
	"ua/internal/common/spending"
)

// A Gateway is the way to the model for a program that has no key: a subagent inside a
// sandbox, or what stands in front of our gate. It is a socket that ua-think serve answers.
type Gateway struct {
	Path   string
	token  string
	socket *os.File
	stage  *stage
	others spending.Others // what they have spent of the session's budget
}

// NewGateway makes the socket of that name in the folder, and the token that who asks has to
// show.
func NewGateway(folder, name string) (*Gateway, error) {
	g := &Gateway{Path: filepath.Join(folder, name), token: rand.Text()}
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
		if err := r.startGateway(g, r.below, r.answered, r.says("ua-think")); err != nil {
			return nil, err
		}
	}
	return append(variables, g.variables()...), nil
}

// variables returns what tells a program of the gateway.
func (g *Gateway) variables() []string {
	return []string{run.EnvGateway + "=" + g.Path, run.EnvToken + "=" + g.token}
}

// Close removes the socket.
func (g *Gateway) Close() {
	g.others.Close()
	g.socket.Close()
	os.Remove(g.Path)
	os.Remove(filepath.Dir(g.Path)) // the judge's, which holds nothing else
}

// forJudge returns the variables by which the judge of a ua-gate in the user's line reaches
// a model. That ua-gate tells what the judge has used, so nothing is kept of what the
// gateway reports; and a model without an API, which cannot be served, needs none.
func (r *Ring) forJudge() (variables []string, err error) {
	if r.judge == nil {
		// A confined shell can write to the session's folder, and must not answer for a model.
		dir, err := os.MkdirTemp(filepath.Dir(r.Folder), "ua-shell-judge-")
		if err == nil {
			r.judge, err = NewGateway(dir, "judge.sock")
		}
		if err != nil {
			return nil, err
		}
	}
	if !r.judge.stage.alive() {
		err = r.startGateway(r.judge, r.judges, func([]byte) {}, func(string) {})
	}
	return r.judge.variables(), err
}

// mostQuestions is how many questions the commands of a session may ask.
const mostQuestions = "1000"

// startGateway starts ua-think serve with the socket and the token as descriptors. The
// token goes through a pipe, so that no command line shows it. before is what was spent
// through it so far, line is called with what it reports, and said with each line of its
// stderr.
func (r *Ring) startGateway(g *Gateway, before journal.Tally, line func([]byte),
	said func(string)) error {
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
	args := append([]string{"serve", "--socket-fd", "3", "--token-fd", "4", "--spent-fd", "5",
		"--events", "--max-questions", mostQuestions}, r.Think...)
	for _, m := range r.Models {
		args = append(args, "--allow", m)
	}
	argv, err := builtin("ua-think", args)
	if err != nil {
		return err
	}
	r.share()
	others, err := g.others.Open(spending.Of(&before))
	if err != nil {
		return err
	}
	g.stage, err = start("ua-think", argv, os.Environ(), r.Post, line, said, r.end,
		os.NewFile(uintptr(fd), "socket"), token.r, others)
	return err
}
