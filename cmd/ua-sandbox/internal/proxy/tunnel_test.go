package proxy

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// secureWeb runs an HTTPS server whose certificate httptest made for
// example.com, and returns its address and the certificate.
func secureWeb(t testing.TB, h http.HandlerFunc) (addr string, cert *x509.Certificate) {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.Listener.Addr().String(), s.Certificate()
}

// trust is a client's settings that trust the certificate.
func trust(cert *x509.Certificate, name string) *tls.Config {
	roots := x509.NewCertPool()
	roots.AddCert(cert)
	return &tls.Config{ServerName: name, RootCAs: roots}
}

// dialTunnel asks for a tunnel and returns the connection after the 200.
func (g *rig) dialTunnel(t testing.TB, target string) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", g.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	io.WriteString(conn, wire("CONNECT "+target+" HTTP/1.1\nHost: "+target+"\nAUTH\n\n"))
	r := bufio.NewReader(conn)
	if status, err := readResponse(r); err != nil || status != 200 {
		t.Fatal("CONNECT:", status, err)
	}
	return conn, r
}

func TestConnectTLS(t *testing.T) {
	addr, cert := secureWeb(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "inside ", r.Host)
	})
	g := start(t, func(g *rig) {
		g.to(t, "443", addr)
		resolve(t, names{"example.com": {"127.0.0.1"}}.zone)
	}, "example.com", "127.0.0.1")
	c := g.client()
	c.Transport.(*http.Transport).TLSClientConfig = trust(cert, "")
	resp, err := c.Get("https://example.com/")
	if got := body(t, resp, err); got != "200 inside example.com" {
		t.Error(got)
	}
	if e := g.event(t, 1); e.Get("decision").Str != "allow" || e.Get("port").Int() != 443 ||
		e.Get("bytes_up").Int() < 100 || e.Get("reason").Exists() {
		t.Errorf("event %s", e)
	}
}

// listener runs a proxy and a server behind it, at port 443 and at its own, and
// counts the connections on which bytes reached that.
func listener(t *testing.T) (g *rig, port string, reached *atomic.Int32) {
	reached = &atomic.Int32{}
	addr, port := bytesServer(t, func(c net.Conn, r *bufio.Reader) {
		if _, err := r.Peek(1); err == nil {
			reached.Add(1)
		}
	})
	return start(t, func(g *rig) { g.to(t, "443", addr); g.Timeout = 2 * time.Second },
		"app.test", "127.0.0.1", "app.test:"+port, "127.0.0.1:"+port), port, reached
}

// hello sends a client hello for the name in a tunnel, and returns what became
// of it and the n-th event.
func (g *rig) hello(t *testing.T, target, name string, n int) (gjson.Result, error) {
	conn, _ := g.dialTunnel(t, target)
	err := tls.Client(conn, &tls.Config{ServerName: name, InsecureSkipVerify: true}).Handshake()
	conn.Close()
	return g.event(t, n), err
}

// The client hello must ask for the host of the tunnel, wherever TLS is spoken.
func TestServerName(t *testing.T) {
	g, port, reached := listener(t)
	n := 0
	for _, target := range []string{"app.test:443", "app.test:" + port} {
		for _, tt := range []struct{ name, want string }{
			{"evil.test", `the TLS server name is "evil.test", the connection is to app.test`},
			{"app.test.evil.test", "the TLS server name is"},
			{"", "without a server name"},
		} {
			n++
			e, err := g.hello(t, target, tt.name, n)
			if err == nil || !strings.Contains(err.Error(), "access denied") {
				t.Errorf("%s: %v", tt.name, err)
			}
			if e.Get("decision").Str != "deny" || !strings.Contains(e.Get("reason").Str, tt.want) {
				t.Errorf("%s: event %s", tt.name, e)
			}
		}
	}
	if reached.Load() != 0 {
		t.Error("bytes came through", reached.Load(), "times")
	}
	if g.hello(t, "app.test:443", "APP.test", n+1); reached.Load() != 1 {
		t.Error("the right name did not come through")
	}
}

// To a listed address an allowed name may be asked for, but no other.
func TestServerNameAtAddress(t *testing.T) {
	g, port, _ := listener(t)
	for i, tt := range []struct{ name, want string }{{"app.test", "EOF"}, {"", "EOF"},
		{"evil.test", "access denied"}} {
		if _, err := g.hello(t, "127.0.0.1:"+port, tt.name, i+1); err == nil ||
			!strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v", tt.name, err)
		}
	}
}

// At 443 nothing but TLS comes through.
func TestOnlyTLS(t *testing.T) {
	g, _, reached := listener(t)
	for i, tt := range []struct{ text, decision, want string }{
		{"GET / HTTP/1.1\r\nHost: evil.test\r\n\r\n", "deny", "port 443 is for TLS"},
		{"SSH-2.0-x\r\n", "deny", "port 443 is for TLS"},
		{"\x16\x03\x01\x00\x04\x02\x00\x00\x00", "deny", "malformed TLS client hello"},
		{"\x16\x03\x01", "allow", "the client went away"},
		{"", "allow", "the client went away"},
	} {
		conn, _ := g.dialTunnel(t, "app.test:443")
		io.WriteString(conn, tt.text)
		conn.(*net.TCPConn).CloseWrite()
		if e := g.event(t, i+1); e.Get("decision").Str != tt.decision ||
			!strings.Contains(e.Get("reason").Str, tt.want) {
			t.Errorf("%q: event %s", tt.text, e)
		}
	}
	if reached.Load() != 0 {
		t.Error("bytes came through", reached.Load(), "times")
	}
}

// An address has no server name, and a server may speak first at other ports.
func TestOtherPorts(t *testing.T) {
	_, port := bytesServer(t, func(c net.Conn, r *bufio.Reader) {
		io.WriteString(c, "220 ready\n")
		io.Copy(c, r)
	})
	g := start(t, nil, "app.test:"+port, "127.0.0.1:"+port)
	for _, target := range []string{"app.test:" + port, "127.0.0.1:" + port} {
		conn, r := g.dialTunnel(t, target)
		if line, err := r.ReadString('\n'); line != "220 ready\n" {
			t.Fatal(line, err)
		}
		io.WriteString(conn, "hello")
		conn.(*net.TCPConn).CloseWrite()
		if got, err := io.ReadAll(r); string(got) != "hello" {
			t.Error(target, string(got), err)
		}
	}
}

// Bytes that a client sends behind CONNECT without waiting are not lost.
func TestEarlyBytes(t *testing.T) {
	_, port := echo(t)
	g := start(t, nil, "127.0.0.1:"+port)
	conn, err := net.Dial("tcp", g.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, wire("CONNECT 127.0.0.1:"+port+" HTTP/1.1\nAUTH\n\n")+strings.Repeat("early",
		5000))
	conn.(*net.TCPConn).CloseWrite()
	r := bufio.NewReader(conn)
	readResponse(r)
	if got, _ := io.ReadAll(r); string(got) != strings.Repeat("early", 5000) {
		t.Errorf("%d bytes", len(got))
	}
}

// A tunnel to port 80 is read as HTTP: it can't ask for another host.
func TestConnectPlain(t *testing.T) {
	_, port := web(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Host, r.URL) })
	g := start(t, func(g *rig) { g.to(t, "80", "127.0.0.1:"+port) }, "app.test", "127.0.0.1",
		"two.app.test")
	for _, tt := range []struct{ text, want string }{
		{"GET /x HTTP/1.1\nHost: app.test\n\n", "app.test/x"},
		{"GET http://app.test/x HTTP/1.1\nHost: app.test\n\n", "app.test/x"},
		{"GET /x HTTP/1.1\nHost: two.app.test\n\n", "400 "},
		{"GET /x HTTP/1.1\nHost: app.test:81\n\n", "400 "},
		{"GET http://two.app.test/x HTTP/1.1\n\n", "400 "},
		{"GET /x HTTP/1.1\n\n", "400 "},
		{"CONNECT app.test:443 HTTP/1.1\n\n", "400 "},
		{"SSH-2.0-x\n\n", "400 "},
	} {
		conn, r := g.dialTunnel(t, "app.test:80")
		io.WriteString(conn, wire(tt.text))
		if got, _ := io.ReadAll(r); !strings.Contains(string(got), tt.want) {
			t.Errorf("%q: %q", tt.text, got)
		}
	}
}

// The name is resolved once, and what was judged is what is dialled.
func TestRebinding(t *testing.T) {
	needOwnNetwork(t)
	var questions atomic.Int32
	g := start(t, func(g *rig) {
		resolve(t, func(string) []netip.Addr {
			if questions.Add(1) <= 2 { // of one lookup, for both kinds of addresses
				return []netip.Addr{netip.MustParseAddr("93.184.216.34")}
			}
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}
		})
		addr, _ := web(t, func(w http.ResponseWriter, r *http.Request) {})
		g.to(t, "80", addr)
	}, "*.rebind.test")
	if got := g.raw(t, "GET http://a.rebind.test/ HTTP/1.1\nAUTH\n\n"); !strings.HasPrefix(got,
		"HTTP/1.1 200") {
		t.Error(got)
	}
	if questions.Load() != 2 || g.dials() != "[93.184.216.34:80]" {
		t.Errorf("%d questions, dialled %s", questions.Load(), g.dials())
	}
	if got := g.raw(t, "GET http://a.rebind.test/ HTTP/1.1\nAUTH\n\n"); !strings.Contains(got,
		"403 a.rebind.test leads to 127.0.0.1, a loopback address") {
		t.Error(got)
	}
	if g.dials() != "[93.184.216.34:80]" {
		t.Errorf("dialled %s", g.dials())
	}
}

// Of a name's addresses only those that may be reached are dialled.
func TestMixedAddresses(t *testing.T) {
	needOwnNetwork(t)
	addr, _ := web(t, func(w http.ResponseWriter, r *http.Request) {})
	g := start(t, func(g *rig) {
		resolve(t, names{"mixed.test": {"::1", "10.0.0.1", "93.184.216.34", "::ffff:127.0.0.1",
			"169.254.169.254"}}.zone)
		g.to(t, "80", addr)
	}, "mixed.test")
	g.raw(t, "GET http://mixed.test/ HTTP/1.1\nAUTH\n\n")
	if g.dials() != "[93.184.216.34:80]" {
		t.Errorf("dialled %s", g.dials())
	}
}

// helloBytes is a client hello as crypto/tls writes it.
func helloBytes(t testing.TB, name string) []byte {
	t.Helper()
	a, b := net.Pipe()
	go func() {
		tls.Client(a, &tls.Config{ServerName: name, InsecureSkipVerify: true}).Handshake()
	}()
	defer b.Close()
	raw, _, err := readHello(b)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestReadHello(t *testing.T) {
	hello := helloBytes(t, "app.test")
	split := fragment(hello, 7)
	for _, tt := range []struct {
		what string
		raw  []byte
		name string
		err  error
	}{
		{"whole", hello, "app.test", nil},
		{"in records of 7 bytes", split, "app.test", nil},
		{"no name", helloBytes(t, ""), "", nil},
		{"cut", hello[:len(hello)-1], "", io.ErrUnexpectedEOF},
		{"empty", nil, "", io.EOF},
		{"http", []byte("GET / HTTP/1.1\r\n"), "", errNotTLS},
		{"alert", []byte{21, 3, 1, 0, 2, 1, 0}, "", errNotTLS},
		{"empty record", []byte{22, 3, 1, 0, 0}, "", errHello},
		{"server hello", []byte{22, 3, 1, 0, 4, 2, 0, 0, 0}, "", errHello},
		{"two messages", append([]byte{22, 3, 1, 0, 5, 1, 0, 0, 0}, 0), "", errHello},
		{"too large", []byte{22, 3, 1, 255, 255}, "", errHello},
		{"endless records", []byte(strings.Repeat("\x16\x03\x01\x00\x01\x01", 9000)), "", errHello},
		{"two names", twice(hello), "", errHello},
	} {
		raw, name, err := readHello(strings.NewReader(string(tt.raw)))
		if name != tt.name || !errors.Is(err, tt.err) || err == nil && string(raw) != string(tt.raw) {
			t.Errorf("%s: %q, %v, %d bytes of %d", tt.what, name, err, len(raw), len(tt.raw))
		}
	}
}

// fragment parts one record into records of n bytes.
func fragment(record []byte, n int) (out []byte) {
	for body := record[5:]; len(body) > 0; body = body[min(n, len(body)):] {
		part := body[:min(n, len(body))]
		out = append(append(out, 22, 3, 1, 0, byte(len(part))), part...)
	}
	return out
}

// twice gives a hello for app.test a second server name.
func twice(hello []byte) []byte {
	name := "\x00\x00\x00\x0d\x00\x0b\x00\x00\x08app.test"
	text := string(hello)
	at := strings.Index(text, name)
	if at < 0 {
		return nil
	}
	b := []byte(text[:at] + name + text[at:])
	grow := func(at int) { // a 16 bit length
		n := int(b[at])<<8 | int(b[at+1])
		n += len(name)
		b[at], b[at+1] = byte(n>>8), byte(n)
	}
	grow(3)
	grow(7)
	// The extensions' length stands before the first extension: behind version and random,
	// and the lists of the session, the suites and the compressions.
	extensions := 9 + 34
	extensions += 1 + int(b[extensions])
	extensions += 2 + int(b[extensions])<<8 + int(b[extensions+1])
	grow(extensions + 1 + int(b[extensions]))
	return b
}

// An old client's hello may end before the extensions.
func TestOldHello(t *testing.T) {
	hello := "\x01\x00\x00\x29" + "\x03\x01" + strings.Repeat("r", 32) + "\x00" + "\x00\x02\x00\x2f" +
		"\x01\x00"
	raw := "\x16\x03\x01\x00\x2d" + hello
	if _, name, err := readHello(strings.NewReader(raw)); err != nil || name != "" {
		t.Errorf("%q, %v", name, err)
	}
}

func FuzzHello(f *testing.F) {
	hello := helloBytes(f, "app.test")
	f.Add(hello)
	f.Add(fragment(hello, 50))
	f.Add(twice(hello))
	f.Add([]byte{22, 3, 1, 0, 4, 1, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		raw, name, err := readHello(strings.NewReader(string(b)))
		if err == nil && (!strings.HasPrefix(string(b), string(raw)) || len(raw) > maxHello) {
			t.Fatalf("%d bytes of %d, name %q", len(raw), len(b), name)
		}
	})
}
