package eventserver

import (
	"crypto/tls"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"sync/atomic"

	"ua/internal/common/gateway"
	"ua/internal/common/prog"
)

// These end what takes too much memory.
var (
	ErrTooLong = errors.New("the conversation is too long")
	ErrCrowded = errors.New("the conversations of all clients are too long")
)

// A Meter reads and counts the bytes of a conversation as they come.
type Meter struct {
	io.Reader
	all    *atomic.Int64 // bytes of all conversations
	most   int64
	n      atomic.Int64
	broken func() // called when the connection breaks off; may be nil
}

// Metered returns a reader of what a client sends, at most that much, within what all may have.
func (s *Service) Metered(r io.Reader, most int64) *Meter {
	return &Meter{Reader: r, all: &s.talks, most: most}
}

// Read reads, unless there is no room for more.
func (c *Meter) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	if err != nil && err != io.EOF && c.broken != nil {
		c.broken()
	}
	switch all := c.all.Add(int64(n)); {
	case c.n.Add(int64(n)) > c.most:
		return 0, ErrTooLong
	case all > maxTalks:
		return 0, ErrCrowded
	}
	return n, err
}

// Forget says that what came so far is not kept any more.
func (c *Meter) Forget() {
	c.all.Add(-c.n.Swap(0))
}

// ListenUnix listens on a Unix socket that only its owner can connect to. A socket on
// which nobody listens any more is replaced.
func ListenUnix(path string) (net.Listener, error) {
	if info, err := os.Lstat(path); err == nil {
		if info.Mode().Type() != fs.ModeSocket {
			return nil, prog.Errorf(prog.Trouble, "%q: a file is there that is not a socket", path)
		}
		if c, err := net.Dial("unix", path); err == nil {
			c.Close()
			return nil, prog.Errorf(prog.Trouble, "%q: another program is listening there", path)
		}
	}
	return gateway.Listen(path)
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

// ListenTLS listens at an address of any kind with the certificate and key in two files. Who may
// ask is known by the token alone.
func ListenTLS(address, certFile, keyFile string) (net.Listener, error) {
	cert, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return nil, prog.Errorf(prog.Trouble, "--tls-cert, --tls-key: %v", err)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, prog.Errorf(prog.Trouble, "--listen: %v", err)
	}
	return tls.NewListener(farListener{l}, &tls.Config{Certificates: []tls.Certificate{cert},
		MinVersion: tls.VersionTLS13}), nil
}

// A farListener accepts what crypto/tls reads.
type farListener struct{ net.Listener }

// Accept returns the next connection.
func (l farListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return farConn{c}, err
}

// A farConn says that its client is gone where TLS has not said before that all was sent.
type farConn struct{ net.Conn }

// Read reads what the client sends.
func (c farConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if err == io.EOF {
		err = errGone
	}
	return n, err
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
