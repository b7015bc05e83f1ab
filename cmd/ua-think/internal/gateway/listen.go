package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"syscall"

	"ua/internal/common/prog"
)

// ListenUnix listens on a Unix socket that only its owner can connect to. A socket on
// which nobody listens any more is replaced. The mode is set by the umask, since chmod
// after the bind would leave a moment in which anybody could connect.
func ListenUnix(path string) (net.Listener, error) {
	if len(path) > maxSocketPath {
		return nil, prog.Errorf(prog.Trouble, "%q: a socket's path has at most %d bytes",
			path, maxSocketPath).Hintf("use a folder with a shorter path")
	}
	if info, err := os.Lstat(path); err == nil {
		if info.Mode().Type() != fs.ModeSocket {
			return nil, prog.Errorf(prog.Trouble, "%q: a file is there that is not a socket", path)
		}
		if c, err := net.Dial("unix", path); err == nil {
			c.Close()
			return nil, prog.Errorf(prog.Trouble, "%q: another program is listening there", path)
		}
		if err := os.Remove(path); err != nil {
			return nil, prog.Errorf(prog.Trouble, "%q: %v", path, errors.Unwrap(err))
		}
	}
	old := syscall.Umask(0o177)
	l, err := net.Listen("unix", path)
	syscall.Umask(old)
	if err != nil {
		return nil, prog.Errorf(prog.Trouble, "%q: %v", path, cause(err))
	}
	return l, nil
}

// ListenTCP listens on HOST:PORT, which must be an address of this machine.
func ListenTCP(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err != nil || host != "localhost" && !ip.IsLoopback() {
		return nil, prog.Errorf(prog.Trouble, "--listen: %q is not a loopback address",
			address).Hintf("write 127.0.0.1:PORT")
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, prog.Errorf(prog.Trouble, "%q: %v", address, cause(err))
	}
	return l, nil
}

// ListenFD listens on a socket that the caller has opened as descriptor fd.
func ListenFD(fd int) (net.Listener, error) {
	f := os.NewFile(uintptr(fd), "socket")
	if f == nil {
		return nil, prog.Errorf(prog.Trouble, "--socket-fd: %d is not a descriptor", fd)
	}
	defer f.Close()
	l, err := net.FileListener(f)
	if err != nil {
		return nil, prog.Errorf(prog.Trouble, "--socket-fd: descriptor %d: %v", fd, cause(err))
	}
	return l, nil
}

// cause returns the innermost error, without the addresses that package net adds.
func cause(err error) error {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err
}

// Serve answers the connections of l until ctx ends, and then breaks off what is still
// being answered.
func (g *Gateway) Serve(ctx context.Context, l net.Listener) error {
	conns := &g.conns
	s := &http.Server{
		Handler: g, ReadHeaderTimeout: headerTime, IdleTimeout: keepTime, MaxHeaderBytes: maxHeader,
		ErrorLog: log.New(io.Discard, "", 0), ConnState: conns.state,
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(context.WithValue(ctx, peerKey{}, PeerOf(c)), connKey{}, c)
		},
	}
	failed := make(chan error, 1)
	go func() { failed <- s.Serve(&owned{l, g.Token != ""}) }()
	select {
	case err := <-failed:
		return fmt.Errorf("the gateway's socket: %w", err)
	case <-ctx.Done():
		s.Close()
		return nil
	}
}

// owned is a listener that accepts only processes of the same user, unless clients show a
// token. The folder of a socket may let other users in.
type owned struct {
	net.Listener
	token bool
}

// Accept returns the next connection that is allowed and closes the others.
func (o *owned) Accept() (net.Conn, error) {
	for {
		c, err := o.Listener.Accept()
		if err != nil || o.token || PeerOf(c).Own {
			return c, err
		}
		c.Close()
	}
}

// connKey is the context key of the connection of a request.
type connKey struct{}

// connections limits how many connections exist. Beyond the limit the oldest that has not
// sent a complete request is closed, so that nobody can lock others out by holding many.
type connections struct {
	mu   sync.Mutex
	all  map[net.Conn]bool
	idle []net.Conn // without a whole request, oldest first
}

// keep notes that the request of a connection has arrived completely. The connection is
// not closed for others until it is idle again.
func (c *connections) keep(conn net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := slices.Index(c.idle, conn); i >= 0 {
		c.idle = slices.Delete(c.idle, i, i+1)
	}
}

// state follows the states of connections (net/http, ConnState).
func (c *connections) state(conn net.Conn, s http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all == nil {
		c.all = map[net.Conn]bool{}
	}
	if s == http.StateActive { // the first byte of a request is none
		return
	}
	if i := slices.Index(c.idle, conn); i >= 0 {
		c.idle = slices.Delete(c.idle, i, i+1)
	}
	switch s {
	case http.StateNew, http.StateIdle:
		c.all[conn] = true
		c.idle = append(c.idle, conn)
	case http.StateClosed, http.StateHijacked:
		delete(c.all, conn)
		return
	}
	if len(c.all) <= maxConns || len(c.idle) == 0 {
		return
	}
	c.idle[0].Close() // the server sees it and tells of it here
	delete(c.all, c.idle[0])
	c.idle = c.idle[1:]
}
