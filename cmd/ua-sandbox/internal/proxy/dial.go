package proxy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
)

// A refusal is a no by the allowlist, as opposed to an error on the way.
type refusal struct{ why string }

// Error returns the reason.
func (r *refusal) Error() string { return r.why }

// refuse returns err as a refusal.
func refuse(err error) error { return &refusal{err.Error()} }

// dial connects to a host that the list allows by name. Each address is judged when it is
// dialled, so that no second lookup can return another one (DNS rebinding). One address that
// may be dialled is enough.
func (s *Server) dial(ctx context.Context, h host, port uint16) (net.Conn, error) {
	d := net.Dialer{Timeout: s.timeout(), Control: func(_, at string, _ syscall.RawConn) error {
		addr, err := netip.ParseAddrPort(at)
		if err == nil {
			err = s.Allowlist.judgeAddress(h, addr.Addr().Unmap().WithZone(""), port)
		}
		if err != nil {
			return refuse(err)
		}
		return nil
	}}
	names := []string{h.String()}
	switch {
	case thisHost(h.name):
		names = []string{"127.0.0.1", "::1"}
	case strings.Contains(h.name, "."):
		names[0] += "." // no search list
	}
	var first error
	for _, name := range names {
		conn, err := d.DialContext(ctx, "tcp", net.JoinHostPort(name, strconv.Itoa(int(port))))
		if err == nil {
			return conn, nil
		}
		first = cmp.Or(first, err)
	}
	var dns *net.DNSError
	if errors.As(first, &dns) {
		return nil, fmt.Errorf("%s: %s", h, dns.Err)
	}
	return nil, first
}
