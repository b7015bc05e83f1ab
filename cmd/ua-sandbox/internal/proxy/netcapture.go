package proxy

import (
	"net"
	"time"
)

// ServeCapture serves programs that cannot use a proxy. l listens inside on port 80 or
// 443 of every address, and ServeDNS sends the programs there. Host or the TLS server name
// is the destination of a connection. No secret is asked for, so every command in the
// sandbox can use it. It returns as Serve does.
func (s *Server) ServeCapture(l net.Listener) error {
	port := uint16(l.Addr().(*net.TCPAddr).Port)
	return s.each(l, func(c *client) { c.serveCaptured(port) })
}

// serveCaptured serves one such connection.
func (c *client) serveCaptured(port uint16) {
	if port != 443 {
		c.serveHTTP(&place{port: port})
		return
	}
	t := c.trip("TLS")
	t.port = port
	defer t.log()
	t.ended(t.carryCaptured())
}

// carryCaptured reads the destination of a captured TLS connection and carries the
// connection there.
func (t *trip) carryCaptured() error {
	raw, err := t.readHello()
	if err != nil {
		return err
	}
	if err = t.s.Allowlist.allows(t.host, t.port); err != nil {
		return t.alert(refuse(err))
	}
	if !t.keep("") {
		return errGone
	}
	up, err := t.dial()
	if err != nil {
		return t.alert(err)
	}
	defer t.hold(up)()
	n, err := up.Write(raw)
	t.up.Store(int64(n))
	if err != nil {
		return err
	}
	t.conn.SetDeadline(time.Time{})
	return t.splice(up, nothing)
}
