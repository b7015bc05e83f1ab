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

// ListenUnix listens on a Unix socket that only its owner can connect to. A
// socket that nobody listens on any more is replaced.
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

// ListenTCP listens on an address of this machine, HOST:PORT.
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

// ListenFD listens on a socket that the caller has opened.
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

// cause returns the innermost error, without the addresses that package net names.
func cause(err error) error {
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	return err
}

// Serve answers what connects to l until ctx ends. It then breaks off what is
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

// owned is a listener that takes only the user's own processes, unless they show
// a token: a socket's folder may let others in.
type owned struct {
	net.Listener
	token bool
}

func (o *owned) Accept() (net.Conn, error) {
	for {
		c, err := o.Listener.Accept()
		if err != nil || o.token || PeerOf(c).Own {
			return c, err
		}
		c.Close()
	}
}

// connKey is the key of a request's connection in its context.
type connKey struct{}

// connections bounds how many there are. Beyond that the oldest one that has not sent a
// whole request gives way, so that nobody locks the others out by holding many.
type connections struct {
	mu   sync.Mutex
	all  map[net.Conn]bool
	idle []net.Conn // without a whole request, oldest first
}

// keep is told that a connection's request has come whole: it gives way no more until it
// is idle again.
func (c *connections) keep(conn net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if i := slices.Index(c.idle, conn); i >= 0 {
		c.idle = slices.Delete(c.idle, i, i+1)
	}
}

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
