// Package gateway lets programs without a key reach a model: subagents, and the judge of a
// gate. Their requests are answered by ua-think serve, outside of the sandbox, with the key
// that they do not have.
package gateway

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ua/internal/common/event"
	"ua/internal/common/gateway"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/runs"
	"ua/internal/common/spending"
	"ua/internal/common/stage"
)

// A Gateway is the socket on which programs of a run reach a model, and the ledger of what
// it has answered. ua-think is started when the first command connects.
type Gateway struct {
	*gateway.Gateway
	served atomic.Bool   // Serve has begun
	done   chan struct{} // closed when nothing more comes of it

	mu    sync.Mutex
	stage *stage.Stage // that answers, once it has been started
	seen  runs.Ledger
}

// Open creates a socket with that name for a run. A socket's path has a limit (unix(7)),
// so a long one moves beside the run's folder or into a temporary folder.
func Open(r run.Run, name string) (*Gateway, error) {
	path := filepath.Join(r.Dir, name)
	beside := filepath.Dir(r.Dir)
	if len(path) > gateway.PathMax && filepath.Base(beside) == run.SubFolder {
		path = filepath.Join(beside, r.ID[len(r.ID)-6:]+"-"+name) // as a try can see it, too
	}
	if len(path) > gateway.PathMax {
		dir, err := os.MkdirTemp("", "ua")
		if err != nil {
			return nil, prog.Errorf(prog.Status(err), "the socket %s: %v", name, err)
		}
		path = filepath.Join(dir, name)
	}
	g, err := gateway.Open(path)
	if err != nil {
		return nil, err
	}
	return &Gateway{Gateway: g, done: make(chan struct{})}, nil
}

// Serve lets ua-think serve answer on the socket, with the options, and with keys, which are
// variables of its environment. line is called with each event that it prints: who asked,
// what the model proposed and what it cost. failed is called if it cannot be started.
func (g *Gateway) Serve(options, keys []string, line func([]byte), failed func(error)) {
	start := func(args []string) (stage.Command, error) {
		c, err := stage.Builtin("ua-think", append(args, options...)...)
		c.Env = append(c.Env, keys...)
		return c, err
	}
	g.serve(start, func(text []byte) {
		if typ := event.Type(text); (typ == "model_request" || typ == "proposal") &&
			event.Valid(text) {
			g.note(text)
			line(text)
		}
	}, failed)
}

// serve waits for a connection and starts the program that accepts it, with the arguments of
// a server. Each line that it prints goes to line. One that was killed is replaced, at most
// twice.
func (g *Gateway) serve(
	command func(args []string) (stage.Command, error), line func([]byte), failed func(error),
) {
	g.served.Store(true)
	defer close(g.done)
	defer g.Socket.Close() // who asks when nobody answers any more is to learn it at once
	raw, err := g.Socket.SyscallConn()
	if err != nil {
		return
	}
	for range 3 {
		if raw.Read(func(fd uintptr) bool { return readable(int(fd)) }) != nil {
			return // the run is over
		}
		out, err := g.start(command)
		if err != nil {
			failed(err)
			return
		}
		stage.Lines(out, g.Stage().Name(), line)
		g.Stage().Wait(stage.Grace)
	}
}

// readable reports whether a connection waits on the socket.
func readable(fd int) bool {
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n > 0
}

// start starts the program, and returns a pipe with its output.
func (g *Gateway) start(command func(args []string) (stage.Command, error)) (*os.File, error) {
	args, files, err := g.Server(g.Ledger().All.Sum())
	if err != nil {
		return nil, prog.Errorf(stage.StartStatus(err), "%w", err)
	}
	c, err := command(args)
	if err != nil {
		return nil, err
	}
	c.Extra = files
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
	g.mu.Lock()
	defer g.mu.Unlock()
	g.stage = s
	return said.R, nil
}

// Stage returns the program that answers, nil before the first one has been started.
func (g *Gateway) Stage() *stage.Stage {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.stage
}

// Env returns the variables that tell a command of the gateway; none without one.
func (g *Gateway) Env() []string {
	if g == nil {
		return nil
	}
	return g.Gateway.Env()
}

// Spent tells the one that answers what others have spent of the budget that they share.
func (g *Gateway) Spent(s spending.Sum) {
	if g != nil {
		g.Gateway.Spent(s)
	}
}

// note counts an event at once. An agent can end before the journal has the event.
func (g *Gateway) note(line []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.seen.Add(line)
}

// Ledger returns a copy of what the gateway has seen so far, nil without a gateway.
func (g *Gateway) Ledger() *runs.Ledger {
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.seen.Clone()
}

// Close ends the program, waits a short time for its last lines and removes the socket. It
// may be called again.
func (g *Gateway) Close(runDir string) {
	g.Remove()
	if s := g.Stage(); s != nil {
		s.Signal(syscall.SIGTERM)
		if !s.Wait(stage.Grace / 5) {
			s.Signal(syscall.SIGKILL)
		}
	}
	if g.served.Load() {
		select {
		case <-g.done:
		case <-time.After(stage.Grace / 5):
		}
	}
	if dir := filepath.Dir(g.Path); dir != runDir && strings.HasPrefix(filepath.Base(dir), "ua") {
		os.Remove(dir)
	}
}
