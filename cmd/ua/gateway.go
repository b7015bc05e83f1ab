package main

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ua/cmd/ua/internal/runs"
	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/run"
)

// A gateway is how subagents reach a model: a socket in the run's folder, which
// ua-think serve answers from outside of the sandbox with the key that they do not
// have. It is started when somebody connects.
type gateway struct {
	path   string
	socket *os.File      // listens
	token  string        // what a subagent gives as its key
	done   chan struct{} // closed when nothing more comes of it

	mu    sync.Mutex
	stage *stage      // ua-think serve, once it has been started
	seen  runs.Ledger // what it has answered
}

// socketPathMax is the longest path of a Unix socket (unix(7), sun_path).
const socketPathMax = 107

// openGateway makes the socket, where subagents could come to be.
func (l *loop) openGateway() error {
	if !l.o.mayDelegate() || l.o.run != "" || l.o.think != "" || l.o.via != "" {
		return nil
	}
	path := filepath.Join(l.run.Dir, "gateway.sock")
	if len(path) > socketPathMax {
		dir, err := os.MkdirTemp("", "ua")
		if err != nil {
			return prog.Errorf(prog.Trouble, "the gateway's socket: %v", err)
		}
		path = filepath.Join(dir, "gateway.sock")
	}
	os.Remove(path) // that of a run which was killed
	fd, err := listen(path)
	if err != nil {
		return prog.Errorf(prog.Trouble, "%s: %v", path, err)
	}
	l.gateway = &gateway{path: path, socket: os.NewFile(uintptr(fd), path), token: rand.Text(),
		done: make(chan struct{})}
	return nil
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

// env returns what a command that starts ua is told of the gateway.
func (g *gateway) env() []string {
	if g == nil {
		return nil
	}
	return []string{run.EnvGateway + "=" + g.path, run.EnvToken + "=" + g.token}
}

// serveGateway waits for the first connection and then starts ua-think serve, which
// takes it. What that writes goes into the journal: who asked, what the model
// proposed to whom, what it cost.
func (l *loop) serveGateway() {
	g := l.gateway
	defer close(g.done)
	raw, err := g.socket.SyscallConn()
	if err != nil {
		return
	}
	for range 3 { // one that was killed has a successor
		if raw.Read(func(fd uintptr) bool { return readable(int(fd)) }) != nil {
			return // the run is over
		}
		out, err := l.startServer()
		if err != nil {
			l.env.Warnf("the subagents' gateway: %v", err)
			return
		}
		each(out, "ua-think", func(line []byte) {
			if typ := event.Type(line); (typ == "model_request" || typ == "proposal") &&
				event.Valid(line) {
				g.note(line)
				l.toJournal.Offer(line)
			}
		})
		g.stage.wait(grace)
	}
}

func readable(fd int) bool {
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n > 0
}

// startServer starts ua-think serve on the socket.
func (l *loop) startServer() (out *os.File, err error) {
	c, err := builtin("ua-think", l.serverArgs()...)
	if err != nil {
		return nil, err
	}
	token, err := pipe()
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(token.w, l.gateway.token)
	token.w.Close()
	fd, err := unix.Dup(int(l.gateway.socket.Fd()))
	if err != nil {
		return nil, err
	}
	c.extra = []*os.File{os.NewFile(uintptr(fd), "socket"), token.r}
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
	l.gateway.mu.Lock()
	defer l.gateway.mu.Unlock()
	l.gateway.stage = s
	return said.r, nil
}

// serverArgs holds all subagents together to the budget of the run, and lets in
// those that may be as deep as they are.
func (l *loop) serverArgs() []string {
	o := l.o
	args := []string{"serve", "--socket-fd", "3", "--token-fd", "4", "--max-depth",
		strconv.Itoa(o.maxDepth - 1),
		"--max-requests", strconv.Itoa(max(o.limits.AtOnce, o.limits.PerParent))}
	if o.model != "" {
		args = append(args, "--model", o.model)
	}
	if o.budgetTokens > 0 {
		args = append(args, "--budget-tokens", strconv.FormatInt(o.budgetTokens, 10))
	}
	if o.budgetUSD > 0 {
		args = append(args, "--budget-usd", strconv.FormatFloat(o.budgetUSD, 'g', -1, 64))
	}
	return args
}

// note counts what the gateway says, at once: an agent can end before the journal has it.
func (g *gateway) note(line []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.seen.Add(line)
}

// ledger returns what the gateway has seen so far; nil without one.
func (g *gateway) ledger() *runs.Ledger {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.seen.Clone()
}

// checkBudget ends the run when the tree has taken what it may: neither the gateway nor
// ua-think sees what the run, its judge and its subagents take together.
func (l *loop) checkBudget() {
	if why := l.overspent(); why != "" && !l.over {
		l.interrupt(outcome{prog.Limit, "ua", why, false}, unix.SIGTERM)
	}
}

// closeGateway ends the server and waits for its last lines.
func (l *loop) closeGateway() {
	g := l.gateway
	if g == nil {
		return
	}
	g.socket.Close()
	g.mu.Lock()
	s := g.stage
	g.mu.Unlock()
	if s != nil {
		s.signal(unix.SIGTERM)
		if !s.wait(grace / 5) {
			s.signal(unix.SIGKILL)
		}
	}
	select {
	case <-g.done:
	case <-time.After(grace / 5):
	}
	os.Remove(g.path)
	if dir := filepath.Dir(g.path); dir != l.run.Dir && strings.HasPrefix(filepath.Base(dir),
		"ua") {
		os.Remove(dir)
	}
}
