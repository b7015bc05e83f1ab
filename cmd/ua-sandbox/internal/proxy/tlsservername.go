package proxy

import (
	"bytes"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

// recordHello is the content type of handshake records (RFC 8446, section 5.1).
const recordHello = 22

var (
	// Why a client hello is refused.
	errNotTLS = errors.New("not TLS")
	errHello  = errors.New("a malformed TLS client hello")
	errNoName = errors.New("a TLS client hello without a server name")
)

// maxHello is the most bytes that a client hello may have, in all its records.
const maxHello = 32 << 10

// readHello reads a TLS client hello by crypto/tls and returns its server name in lower
// case, or "". raw holds every byte that was read, to be sent on.
func readHello(r io.Reader) (raw []byte, name string, err error) {
	var seen bytes.Buffer
	errSeen := errors.New("the hello is whole")
	conn := helloReader{Reader: io.TeeReader(io.LimitReader(r, maxHello), &seen)}
	err = tls.Server(conn, &tls.Config{
		GetConfigForClient: func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
			name = hello.ServerName
			return nil, errSeen
		}}).Handshake()
	switch {
	case errors.Is(err, errSeen):
		return seen.Bytes(), name, nil
	case seen.Len() > 0 && seen.Bytes()[0] != recordHello:
		return nil, "", errNotTLS
	case seen.Len() < maxHello && (isTimeout(err) || clientGone(err)):
		return nil, "", err
	}
	return nil, "", fmt.Errorf("%w: %w", errHello, err)
}

// A helloReader is what crypto/tls needs of a connection to read a client hello. What it
// would answer goes nowhere.
type helloReader struct {
	net.Conn // nil: nothing else is called
	io.Reader
}

func (h helloReader) Read(b []byte) (int, error)     { return h.Reader.Read(b) }
func (helloReader) Write(b []byte) (int, error)      { return len(b), nil }
func (helloReader) SetWriteDeadline(time.Time) error { return nil }
func (helloReader) Close() error                     { return nil }

// judgeTLS judges the client hello, if the client begins with one.
func (t *trip) judgeTLS(up net.Conn) error {
	if first, err := t.r.Peek(1); err != nil || first[0] != recordHello {
		return nil
	}
	return t.passHello(up)
}

// passHello reads the client hello, judges it and sends it on.
func (t *trip) passHello(up net.Conn) error {
	raw, err := t.readHello()
	if err != nil {
		return err
	}
	n, err := up.Write(raw)
	t.up.Add(int64(n))
	return err
}

// readHello reads the client hello and judges it. If the trip has no host yet, it gets
// the server name.
func (t *trip) readHello() ([]byte, error) {
	raw, name, err := readHello(t.r)
	if errors.Is(err, errNotTLS) {
		err = fmt.Errorf("port %d is for TLS, and this is something else", t.port)
	}
	if isTimeout(err) {
		return nil, errors.New("no TLS client hello within the time limit")
	}
	if clientGone(err) {
		return nil, errGone
	}
	if err == nil && t.host == (host{}) {
		t.host, err = parseHost(name)
	} else if err == nil {
		err = t.sameName(name)
	}
	if err != nil {
		return nil, t.alert(refuse(err))
	}
	return raw, nil
}

// alert ends a TLS connection with a fatal alert, access_denied (RFC 8446, section 6),
// which tells a client more than a closed connection.
func (t *trip) alert(err error) error {
	t.note(err)
	t.log()
	t.conn.Write([]byte{21, 3, 3, 0, 2, 2, 49})
	return err
}

// sameName returns an error unless the server name in a client hello is the host of the
// trip. A client that connects to an address sends no name (RFC 6066, section 3), or that
// of a host which is allowed itself.
func (t *trip) sameName(name string) error {
	byAddress := t.host.addr.IsValid()
	if name == "" && byAddress {
		return nil
	}
	if name == "" {
		return errNoName
	}
	h, err := parseHost(name)
	if err != nil || h != t.host && (!byAddress || t.s.Allowlist.allows(h, t.port) != nil) {
		return fmt.Errorf("the TLS server name is %q, the connection is to %s", name, t.host)
	}
	return nil
}
