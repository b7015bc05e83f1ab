package proxy

import (
	"bufio"
	"context"
	"io"
	"net"
	"time"

	"ua/internal/common/connlimit"
)

// A client is one connection from inside, with one request.
type client struct {
	ctx   context.Context // ends with the listener
	s     *Server
	conn  net.Conn
	r     *bufio.Reader
	place *connlimit.Place
}

// newClient returns a client and starts its first time limit.
func newClient(ctx context.Context, s *Server, conn net.Conn, place *connlimit.Place) *client {
	c := &client{ctx: ctx, s: s, conn: conn, r: bufio.NewReader(conn), place: place}
	c.hurry()
	return c
}

// hurry starts the time limit for the client's next step.
func (c *client) hurry() { c.conn.SetDeadline(time.Now().Add(c.s.timeout())) }

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

// linger ends the sending side and reads what the client still sends, for a moment and up
// to a limit. If a connection is closed with unread bytes, it is reset and the client may
// lose the answer.
func (c *client) linger() {
	if half, ok := c.conn.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		c.conn.SetReadDeadline(time.Now().Add(time.Second))
		io.CopyN(io.Discard, c.conn, 1<<20)
	}
}
