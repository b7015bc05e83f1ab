package proxy

import (
	"bufio"
	"net"
	"net/netip"
	"time"
)

// ServeCapture serves programs that cannot use a proxy. l listens inside on port 80 or
// 443 of every address, and ServeDNS sends the programs there. The destination of a
// connection follows from the address, which stands for a name, and from Host or the TLS
// server name, which must agree with it. No secret is asked for, so every command in the
// sandbox can use it. It returns as Serve does.
func (s *Server) ServeCapture(l net.Listener) error {
	port := uint16(l.Addr().(*net.TCPAddr).Port)
	return s.each(l, func(c *client) { c.serveCaptured(port) })
}

// serveCaptured serves one such connection.
func (c *client) serveCaptured(port uint16) {
	at := place{c.s.fakes.name(addrOf(c.conn.LocalAddr())), port}
	if port != 443 {
		c.serveHTTP(&at)
		return
	}
	t := c.trip("TLS")
	t.host, t.port = at.host, port
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
	// Judged by the name, since the address stands for any.
	if err = t.s.Policy.allows(t.host, t.port); err != nil {
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
	t.up = int64(n)
	if err != nil {
		return err
	}
	t.conn.SetDeadline(time.Time{})
	return t.splice(up, bufio.NewReaderSize(up, 16), nothing)
}

// addrOf returns the address of a TCP endpoint.
func addrOf(a net.Addr) netip.Addr {
	if tcp, ok := a.(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr().Unmap()
	}
	return netip.Addr{}
}

// reaches reports whether the name can be reached at all.
func (s *Server) reaches(h host) bool {
	return s.Policy.names(h) || s.injection(h, 80) != nil
}
