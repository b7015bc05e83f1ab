package proxy

import (
	"errors"
	"io"
	"net"
	"time"
)

// tunnel carries a connection to the host of the trip. Port 80 is read as plain HTTP, and
// port 443 must be TLS that asks for that host. On another port TLS is checked if it is
// TLS.
func (t *trip) tunnel() {
	accept := func() error {
		t.hurry()
		_, err := io.WriteString(t.conn, "HTTP/1.1 200 Connection established\r\n\r\n")
		return err
	}
	err := t.s.Allowlist.allows(t.host, t.port)
	// Accepted first: the request, which decides, comes only inside the tunnel.
	if err == nil && t.port == 80 {
		if accept() == nil {
			t.serveHTTP(&place{t.host, t.port})
		}
		return
	}
	defer t.log()
	if err != nil {
		t.fail(refuse(err))
		return
	}
	up, err := t.dial()
	if err != nil {
		t.fail(err)
		return
	}
	defer t.hold(up)()
	if err = accept(); err == nil {
		err = t.carry(up)
	}
	t.ended(err)
}

// carry moves the bytes of a tunnel. At port 443 nothing moves before the client hello
// was judged. At another port the server may be the first to send.
func (t *trip) carry(up net.Conn) error {
	first := func() error { return t.judgeTLS(up) }
	if t.port == 443 {
		if err := t.passHello(up); err != nil {
			return err
		}
		first = nothing
	}
	t.conn.SetDeadline(time.Time{})
	return t.splice(up, first)
}

func nothing() error { return nil }

// splice moves bytes in both directions until both sides have ended or one has failed: what
// the client's reader holds, and then the kernel moves the rest (splice(2)). first is called
// before the client's bytes move.
func (t *trip) splice(up io.ReadWriteCloser, first func() error) error {
	done := make(chan error, 1)
	go func() {
		n, err := move(t.conn, up)
		t.down.Add(n)
		if err != nil && !errors.Is(err, net.ErrClosed) {
			cutOff(up, t.conn)
		}
		done <- err
	}()
	err := first()
	if err != nil {
		up.Close() // the client has its alert
	} else {
		var held, n int64
		if held, err = io.CopyN(up, t.r, int64(t.r.Buffered())); err == nil {
			n, err = move(up, t.conn)
		}
		if err != nil {
			cutOff(up, t.conn)
		}
		t.up.Add(held + n)
	}
	if down := <-done; err == nil {
		err = down
	}
	return err
}

// cutOff resets connections, so that a break on one side does not look like a regular end
// on the other.
func cutOff(conns ...io.Closer) {
	for _, conn := range conns {
		if tcp, ok := conn.(*net.TCPConn); ok {
			tcp.SetLinger(0)
		}
		conn.Close()
	}
}

// move copies the rest of a connection, and then closes the writing side of to.
func move(to io.Writer, from io.Reader) (int64, error) {
	n, err := io.Copy(to, from)
	if half, ok := to.(interface{ CloseWrite() error }); ok && err == nil {
		half.CloseWrite()
	}
	return n, err
}
