package proxy

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"ua/internal/test/scripttest"
)

// TestMain runs the tests in a network of their own where that can be made: there they may
// listen at ports 80 and 443, and public addresses are theirs.
func TestMain(m *testing.M) {
	if status, ok := inOwnNetwork(); ok {
		os.Exit(status)
	}
	// What this process takes for the system's: a resolver, and the authority that
	// signs the certificates of net/http/httptest.
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: askZone}
	os.Setenv("GODEBUG", "x509usefallbackroots=1")
	s := httptest.NewTLSServer(http.NotFoundHandler())
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	s.Close()
	x509.SetFallbackRoots(roots)
	os.Exit(m.Run())
}

// A zone resolves a name, once for each kind of address. nil stands for a name that does
// not exist.
type zone func(name string) []netip.Addr

// zones holds the zone of the test that runs.
var zones atomic.Pointer[zone]

// resolve lets names resolve so until the test ends.
func resolve(t testing.TB, z zone) {
	before := zones.Swap(&z)
	t.Cleanup(func() { zones.Store(before) })
}

// names are addresses by name.
type names map[string][]string

func (n names) zone(name string) (addrs []netip.Addr) {
	for _, a := range n[name] {
		addrs = append(addrs, netip.MustParseAddr(a))
	}
	return addrs
}

// askZone connects to a DNS server that answers one question from the zone.
func askZone(context.Context, string, string) (net.Conn, error) {
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	go func() {
		defer server.Close()
		b := make([]byte, 1<<10)
		n, from, err := server.ReadFrom(b)
		if err != nil {
			return
		}
		if b, err = zoneAnswer(b[:n]); err == nil {
			server.WriteTo(b, from)
		}
	}()
	return net.Dial("udp", server.LocalAddr().String())
}

// zoneAnswer is the answer to one question for the addresses of a name.
func zoneAnswer(query []byte) ([]byte, error) {
	var m dnsmessage.Message
	if err := m.Unpack(query); err != nil || len(m.Questions) != 1 {
		return nil, errors.New("no question")
	}
	q := m.Questions[0]
	var addrs []netip.Addr
	if z := zones.Load(); z != nil {
		addrs = (*z)(strings.TrimSuffix(q.Name.String(), "."))
	}
	m.Response, m.Authoritative, m.Additionals = true, true, nil
	if addrs == nil {
		m.RCode = dnsmessage.RCodeNameError
	}
	for _, a := range addrs {
		r := dnsmessage.Resource{Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class}}
		switch {
		case a.Is4() && q.Type == dnsmessage.TypeA:
			r.Body = &dnsmessage.AResource{A: a.As4()}
		case !a.Is4() && q.Type == dnsmessage.TypeAAAA:
			r.Body = &dnsmessage.AAAAResource{AAAA: a.As16()}
		default:
			continue
		}
		m.Answers = append(m.Answers, r)
	}
	return m.Pack()
}

// to passes what is dialled at a port on to a server of the test, until the test ends. It
// listens at all addresses, which macOS, too, lets every user do below 1024.
func (g *rig) to(t testing.TB, port, server string) {
	t.Helper()
	l, err := net.Listen("tcp", ":"+port)
	if err != nil {
		scripttest.Skip(t, scripttest.Refused, "port %s: %v", port, err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			at := netip.MustParseAddrPort(c.LocalAddr().String())
			g.mu.Lock()
			g.dialed = append(g.dialed, netip.AddrPortFrom(at.Addr().Unmap(), at.Port()))
			g.mu.Unlock()
			go relay(t, c, server)
		}
	}()
}

// relay connects a client with a server.
func relay(t testing.TB, client net.Conn, server string) {
	defer client.Close()
	s, err := net.Dial("tcp", server)
	if err != nil {
		return
	}
	defer s.Close()
	var both sync.WaitGroup
	for _, c := range [][2]net.Conn{{client, s}, {s, client}} {
		both.Go(func() {
			to := c[0].(*net.TCPConn)
			if _, err := io.Copy(to, c[1]); err != nil {
				to.SetLinger(0) // a connection that broke breaks here, too
				to.Close()
			}
			to.CloseWrite()
		})
	}
	both.Wait()
}

// needOwnNetwork skips a test where the tests have no network of their own.
func needOwnNetwork(t testing.TB) {
	t.Helper()
	if list, _ := net.Interfaces(); len(list) > 1 || !slices.ContainsFunc(list,
		func(i net.Interface) bool { return i.Flags&net.FlagUp != 0 }) {
		scripttest.Skip(t, scripttest.Refused, "no network of the test's own")
	}
}
