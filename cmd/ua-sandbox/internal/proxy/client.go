package proxy

import (
	"bufio"
	"context"
	"encoding/base64"
	"io"
	"net"
	"strings"
	"time"

	"ua/internal/common/places"
)

// A client is one connection from inside, with one request.
type client struct {
	ctx   context.Context // ends with the listener
	s     *Server
	conn  net.Conn
	r     *bufio.Reader
	place *places.Place
}

// newClient returns a client and starts its first time limit.
func newClient(ctx context.Context, s *Server, conn net.Conn, place *places.Place) *client {
	c := &client{ctx: ctx, s: s, conn: conn, r: bufio.NewReader(conn), place: place}
	c.hurry()
	return c
}

// hurry starts the time limit for the client's next step.
func (c *client) hurry() { c.conn.SetDeadline(time.Now().Add(c.s.timeout())) }

// serveProxy distinguishes the protocols by the first byte. A SOCKS5 greeting begins with
// 5, which begins no HTTP method.
func (c *client) serveProxy() {
	first, err := c.r.Peek(1)
	switch {
	case err != nil:
	case first[0] == 5:
		c.serveSOCKS()
	default:
		c.serveHTTP(nil)
	}
}

// keep keeps the client's place after its complete request has come with these
// credentials. It reports whether the client still has it. From here on the client has
// its full time.
func (c *client) keep(credentials string) bool {
	if !c.place.Hold(c.ctx, c.s.leases.first(credentials)) {
		return false
	}
	c.hurry()
	return true
}

// basic returns the user:password of a Basic credential (RFC 7617), or "".
func basic(value string) string {
	scheme, encoded, _ := strings.Cut(value, " ")
	text, err := base64.StdEncoding.DecodeString(strings.TrimLeft(encoded, " "))
	if err != nil || !strings.EqualFold(scheme, "Basic") {
		return ""
	}
	return string(text)
}

// linger ends the sending side and reads what the client still sends, for a moment and up
// to a limit. If a connection is closed with unread bytes, it is reset and the client may
// lose the answer.
func (c *client) linger() {
	if half, ok := c.conn.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		c.conn.SetReadDeadline(time.Now().Add(time.Second))
		io.CopyN(io.Discard, c.conn, 1<<20)
	}
}
