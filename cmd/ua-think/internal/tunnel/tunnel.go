// Package tunnel carries the conversations of ua-think serve between machines, over TLS. For
// the server it is a Unix socket, so that nothing else there has to know of it.
package tunnel

import (
	"crypto/tls"
	"io"
	"net"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"ua/internal/common/prog"
)

// Scheme begins the address of a server in UA_GATEWAY: tls://HOST:PORT.
const Scheme = "tls://"

// Network is that of a listener's address.
const Network = "tls"

// wait is for a connection to be made.
const wait = 30 * time.Second

// Listen listens at an address with the certificate and key in two files. Who may ask is
// known by the token alone.
func Listen(address, certFile, keyFile string) (net.Listener, error) {
	cert, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return nil, prog.Errorf(prog.Trouble, "--tls-cert, --tls-key: %v", err)
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, prog.Errorf(prog.Trouble, "--listen: %v", err)
	}
	return listener{l, &tls.Config{Certificates: []tls.Certificate{cert},
		MinVersion: tls.VersionTLS13}}, nil
}

// A listener gives a Unix socket for each connection.
type listener struct {
	net.Listener
	config *tls.Config
}

// An address is that of a TCP port behind which there is TLS.
type address struct{ net.Addr }

func (address) Network() string { return Network }

// Addr returns the address with the port that was chosen.
func (l listener) Addr() net.Addr { return address{l.Listener.Addr()} }

// Accept does not wait for a client to say anything.
func (l listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	near, far, err := pair()
	if err != nil {
		c.Close()
		return nil, err
	}
	go func() {
		t := tls.Server(c, l.config)
		c.SetDeadline(time.Now().Add(wait))
		if t.Handshake() == nil {
			c.SetDeadline(time.Time{})
			join(t, far)
		}
		t.Close()
		far.Close()
	}()
	return near, nil
}

// Dial connects to a server, whose certificate one of the system's authorities, or those in
// SSL_CERT_FILE, must have signed.
func Dial(address string) (*tls.Conn, error) {
	return tls.DialWithDialer(&net.Dialer{Timeout: wait}, "tcp", address,
		&tls.Config{MinVersion: tls.VersionTLS13})
}

// join passes on what comes until both sides have ended. A side that ends well can still be
// answered; one that breaks off can't.
func join(t *tls.Conn, far *net.UnixConn) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		if _, err := io.Copy(t, far); err != nil || t.CloseWrite() != nil {
			t.NetConn().Close()
		}
	}()
	if _, err := io.Copy(far, t); err != nil || far.CloseWrite() != nil {
		far.Close()
		t.NetConn().Close()
	}
	<-done
}

// pair returns two connected Unix sockets.
func pair() (near, far *net.UnixConn, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	var ends [2]*net.UnixConn
	for i, fd := range fds {
		f := os.NewFile(uintptr(fd), "tunnel")
		c, e := net.FileConn(f)
		f.Close()
		if e != nil {
			return nil, nil, e
		}
		ends[i] = c.(*net.UnixConn)
	}
	return ends[0], ends[1], nil
}
