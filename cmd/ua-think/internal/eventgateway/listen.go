package eventgateway

import (
	"crypto/tls"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"

	"ua/internal/common/gateway"
	"ua/internal/common/prog"
)

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
