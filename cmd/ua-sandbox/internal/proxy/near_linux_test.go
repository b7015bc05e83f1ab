package proxy

import (
	"context"
	"net"
	"net/netip"
	"testing"

	"golang.org/x/sys/unix"
)

// Sockets of both sides that stay on this machine are unpaced and bounded.
func TestNear(t *testing.T) {
	accepted := make(chan net.Conn, 1)
	s := &Server{}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go s.each(l, func(c *client) { accepted <- c.conn; c.r.Peek(1) })
	defer s.Close()
	var dialled net.Conn
	for i := range 2 { // the first may come before the listener is set up
		dialled, err = s.connect(context.Background(), netip.MustParseAddrPort(l.Addr().String()))
		if err != nil {
			t.Fatal(err)
		}
		defer dialled.Close()
		if i == 0 {
			<-accepted
		}
	}
	for side, conn := range map[string]net.Conn{"accepted": <-accepted, "dialled": dialled} {
		raw, err := conn.(*net.TCPConn).SyscallConn()
		if err != nil {
			t.Fatal(err)
		}
		raw.Control(func(fd uintptr) {
			name, err := unix.GetsockoptString(int(fd), unix.IPPROTO_TCP, unix.TCP_CONGESTION)
			if name != "reno" {
				t.Errorf("%s: congestion control %q, %v", side, name, err)
			}
			for _, option := range []int{unix.SO_RCVBUF, unix.SO_SNDBUF} {
				n, err := unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, option)
				if n == 0 || n > 2*nearBuffer { // the kernel doubles it
					t.Errorf("%s: a buffer of %d bytes, %v", side, n, err)
				}
			}
		})
	}
}
