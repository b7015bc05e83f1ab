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

// A client is one connection from inside. It makes one request.
type client struct {
	ctx   context.Context // ends with the listener
	s     *Server
	conn  net.Conn
	r     *bufio.Reader
	place *places.Place
}

func newClient(ctx context.Context, s *Server, conn net.Conn, place *places.Place) *client {
	c := &client{ctx: ctx, s: s, conn: conn, r: bufio.NewReader(conn), place: place}
	c.hurry()
	return c
}

// hurry gives the client the time limit for its next step.
func (c *client) hurry() { c.conn.SetDeadline(time.Now().Add(c.s.timeout())) }

// serveProxy tells the protocols apart by the first byte: a SOCKS5 greeting
// begins with 5, which begins no method of HTTP.
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

// keep keeps the client's place once its request has come whole, with the credentials that it
// gave; false means that it has been dropped. It has its full time from here on.
func (c *client) keep(credentials string) bool {
	if !c.place.Hold(c.ctx, c.s.leases.first(credentials)) {
		return false
	}
	c.hurry()
	return true
}

// basic returns the user:password of a Basic credential, or "".
func basic(value string) string {
	scheme, encoded, _ := strings.Cut(value, " ")
	text, err := base64.StdEncoding.DecodeString(strings.TrimLeft(encoded, " "))
	if err != nil || !strings.EqualFold(scheme, "Basic") {
		return ""
	}
	return string(text)
}

// linger ends the sending side and takes what the client still sends, for a
// moment and within bounds: a connection closed with bytes unread is reset, and
// the client may lose the answer.
func (c *client) linger() {
	if half, ok := c.conn.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		c.conn.SetReadDeadline(time.Now().Add(time.Second))
		io.CopyN(io.Discard, c.conn, 1<<20)
	}
}
