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
	"syscall"

	"ua/internal/common/places"
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
	s := &http.Server{
		Handler: g, ReadHeaderTimeout: headerTime, IdleTimeout: keepTime, MaxHeaderBytes: maxHeader,
		ErrorLog: log.New(io.Discard, "", 0),
		ConnState: func(c net.Conn, s http.ConnState) {
			if c, ok := c.(*conn); ok && s == http.StateIdle {
				c.place.Yield()
			}
		},
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, c)
		},
	}
	failed := make(chan error, 1)
	go func() { failed <- s.Serve(&listener{l, ctx, g}) }()
	select {
	case err := <-failed:
		return fmt.Errorf("the gateway's socket: %w", err)
	case <-ctx.Done():
		s.Close()
		return nil
	}
}

// A Queue is a listener whose connections others have accepted.
type Queue struct {
	ctx   context.Context
	at    net.Addr
	conns chan net.Conn
}

// NewQueue returns a Queue that lasts as long as ctx.
func NewQueue(ctx context.Context, at net.Addr) *Queue {
	return &Queue{ctx, at, make(chan net.Conn)}
}

// Put hands on a connection.
func (q *Queue) Put(c net.Conn) {
	select {
	case q.conns <- c:
	case <-q.ctx.Done():
		c.Close()
	}
}

// Accept returns the next connection.
func (q *Queue) Accept() (net.Conn, error) {
	select {
	case c := <-q.conns:
		return c, nil
	case <-q.ctx.Done():
		return nil, net.ErrClosed
	}
}

// Close has nothing to close.
func (q *Queue) Close() error { return nil }

// Addr returns the address at which the connections come in.
func (q *Queue) Addr() net.Addr { return q.at }

// A listener gives each connection a place.
type listener struct {
	net.Listener
	ctx context.Context
	g   *Gateway
}

// Accept returns the next connection.
func (l *listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	place := l.g.places.Take(l.ctx, func() { c.Close() })
	if place == nil {
		c.Close()
		return nil, net.ErrClosed
	}
	return &conn{c, PeerOf(c), place}, nil
}

// A conn is a connection with its place.
type conn struct {
	net.Conn
	peer  Peer
	place *places.Place
}

// Close gives up the place and closes the connection.
func (c *conn) Close() error {
	c.place.Leave()
	return c.Conn.Close()
}

// connKey is the context key of the connection of a request.
type connKey struct{}

// connOf returns the connection of a request, nil in tests without one.
func connOf(r *http.Request) *conn {
	c, _ := r.Context().Value(connKey{}).(*conn)
	return c
}
