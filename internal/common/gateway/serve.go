package gateway

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/runfolder"
	"ua/internal/common/spending"
	"ua/internal/common/stage"
)

// Serve lets a ua-think answer on the socket, which command starts with these arguments and more.
// line is called with each event that it prints: who asked, what the model proposed and what it
// cost. failed is called if it cannot be started.
func (g *Gateway) Serve(
	command func(args []string) (stage.Command, error), line func([]byte), failed func(error),
) {
	g.serve(command, func(text []byte) {
		if typ := event.Type(text); (typ == "model_request" || typ == "proposal") &&
			event.Valid(text) {
			g.note(text)
			line(text)
		}
	}, failed)
}

// serve waits for a connection and starts the program that accepts it, with the arguments of
// a server. Each line that it prints goes to line. One that was killed is replaced, at most
// twice until one has answered.
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
	for left := 3; left > 0; left-- {
		before := g.Answered()
		if raw.Read(func(fd uintptr) bool { return readable(int(fd)) }) != nil {
			return // the run is over
		}
		out, err := g.start(command)
		if err != nil {
			failed(err)
			return
		}
		stage.Lines(out, g.Stage().Name(), line)
		if g.Stage().Wait(stage.Grace); g.Answered() != before {
			left = 3
		}
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
	args, files, err := g.server()
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

// Spent tells the one that answers what others have spent of the budget that they share.
func (g *Gateway) Spent(s spending.Sum) {
	if g != nil {
		g.others.Spent(s)
	}
}

// note counts an event at once. An agent can end before the journal has the event.
func (g *Gateway) note(line []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.seen.Add(line)
}

// Answered returns what the gateway has answered for so far.
func (g *Gateway) Answered() (s spending.Sum) {
	if l := g.Ledger(); l != nil {
		s = l.All.Sum()
	}
	return s
}

// Ledger returns a copy of what the gateway has seen so far, nil without a gateway.
func (g *Gateway) Ledger() *runfolder.Ledger {
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
