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
