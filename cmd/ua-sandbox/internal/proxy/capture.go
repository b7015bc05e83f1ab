package proxy

import (
	"bufio"
	"net"
	"net/netip"
	"time"
)

// ServeCapture serves programs that know of no proxy: l listens inside at port
// 80 or 443 of every address, and ServeDNS sends the programs there. Where a
// connection leads is told by the address that the client took for the name's,
// and by Host or the TLS server name, which must agree. It asks for no secret:
// every command of the sandbox can use it. It returns as Serve does.
func (s *Server) ServeCapture(l net.Listener) error {
	port := uint16(l.Addr().(*net.TCPAddr).Port)
	return s.each(l, func(c *client) { c.serveCaptured(port) })
}

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

// carryCaptured reads where a captured TLS connection wants to go, and carries
// it there.
func (t *trip) carryCaptured() error {
	raw, err := t.readHello()
	if err != nil {
		return err
	}
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

// reaches reports whether the name may be reached at all.
func (s *Server) reaches(h host) bool {
	return s.Policy.names(h) || s.injection(h, 80) != nil
}
