package proxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"
)

// A refusal is a no by the policy, as opposed to an error on the way.
type refusal struct{ why string }

// Error returns the reason.
func (r *refusal) Error() string { return r.why }

// refuse returns err as a refusal.
func refuse(err error) error { return &refusal{err.Error()} }

// dial connects to a host that the policy allows by name. The name is resolved once, each
// address is judged, and exactly that address is dialled. A second lookup could return
// another address (DNS rebinding).
func (s *Server) dial(ctx context.Context, h host, port uint16) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout())
	defer cancel()
	addrs := []netip.Addr{h.addr}
	if !h.addr.IsValid() {
		var err error
		if addrs, err = lookup(ctx, h.name); err != nil {
			return nil, fmt.Errorf("%s: %w", h, err)
		}
	}
	var open []netip.AddrPort
	var why error
	for _, addr := range addrs {
		if err := s.Policy.judgeAddress(h, addr, port); err != nil {
			why = refuse(err)
			continue
		}
		open = append(open, netip.AddrPortFrom(addr, port))
	}
	// One address that may be dialled is enough; refusals count only without any.
	if len(open) == 0 && why == nil {
		why = fmt.Errorf("%s: no address", h)
	}
	if len(open) == 0 {
		return nil, why
	}
	return race(ctx, open)
}

// lookup resolves a name to at most eight addresses.
func lookup(ctx context.Context, name string) (addrs []netip.Addr, err error) {
	if thisHost(name) {
		return loopback(), nil
	}
	if strings.Contains(name, ".") {
		name += "." // no search list
	}
	addrs, err = net.DefaultResolver.LookupNetIP(ctx, "ip", name)
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return nil, errors.New(dns.Err)
	}
	for i := range addrs {
		addrs[i] = addrs[i].Unmap().WithZone("")
	}
	return addrs[:min(len(addrs), 8)], err
}

// race dials the addresses in order, each a little after the one before, and returns the
// first connection.
func race(ctx context.Context, addrs []netip.AddrPort) (net.Conn, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type result struct {
		conn net.Conn
		err  error
	}
	results := make(chan result, len(addrs))
	next := time.NewTimer(0)
	defer next.Stop()
	var errs error
	for started, ended := 0, 0; ended < len(addrs); {
		select {
		case <-next.C:
			if started == len(addrs) {
				continue
			}
			addr := addrs[started]
			started++
			next.Reset(stagger)
			go func() {
				conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr.String())
				results <- result{conn, err}
			}()
		case r := <-results:
			if ended++; r.err != nil {
				errs = r.err
				// A failure need not be waited for: the next address is tried at once.
				next.Reset(0)
				continue
			}
			go closeRest(started-ended, func() net.Conn { return (<-results).conn })
			return r.conn, nil
		}
	}
	return nil, errs
}

// closeRest closes the connections of the dials that came too late.
func closeRest(n int, next func() net.Conn) {
	for range n {
		if conn := next(); conn != nil {
			conn.Close()
		}
	}
}
