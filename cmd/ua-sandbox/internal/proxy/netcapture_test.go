package proxy

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// resolver asks the rig's DNS server.
func (g *rig) resolver(t testing.TB) *net.Resolver {
	t.Helper()
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- g.ServeDNS(pc) }()
	t.Cleanup(func() {
		pc.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	addr := pc.LocalAddr().String()
	return &net.Resolver{PreferGo: true,
		Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			var d net.Dialer
			return d.DialContext(ctx, "udp", addr)
		}}
}

func TestDNS(t *testing.T) {
	g := start(t, nil, "app.test", "*.app.test:443")
	r := g.resolver(t)
	seen := map[string]string{}
	for _, name := range []string{"app.test.", "APP.test.", "two.app.test.", "app.test."} {
		got, err := r.LookupNetIP(context.Background(), "ip", name)
		if err != nil || len(got) != 1 || !strings.HasPrefix(got[0].Unmap().String(), "127.1.") {
			t.Fatalf("%s: %v, %v", name, got, err)
		}
		seen[got[0].String()] += name
	}
	if len(seen) != 2 {
		t.Errorf("two names have %v", seen)
	}
	for _, name := range []string{"evil.test.", "test.", "10.in-addr.arpa."} {
		_, err := r.LookupNetIP(context.Background(), "ip", name)
		var dns *net.DNSError
		if dns, _ = err.(*net.DNSError); dns == nil || !dns.IsNotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := len(g.logged()); n != 3 {
		t.Errorf("%d events for three names", n)
	}
	if e := g.event(t, 1); e.Get("method").Str != "DNS" || e.Get("decision").Str != "deny" ||
		e.Get("host").Str != "evil.test" {
		t.Errorf("event %s", e)
	}
}

func query(t testing.TB, h dnsmessage.Header, questions ...dnsmessage.Question) []byte {
	t.Helper()
	m := dnsmessage.Message{Header: h, Questions: questions}
	b, err := m.Pack()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func question(name string, kind dnsmessage.Type, class dnsmessage.Class) dnsmessage.Question {
	return dnsmessage.Question{Name: dnsmessage.MustNewName(name), Type: kind, Class: class}
}

func TestDNSCodes(t *testing.T) {
	g := start(t, nil, "app.test")
	a := question("app.test.", dnsmessage.TypeA, dnsmessage.ClassINET)
	for _, tt := range []struct {
		what    string
		query   []byte
		code    dnsmessage.RCode
		answers int
	}{
		{"a", query(t, dnsmessage.Header{ID: 7}, a), dnsmessage.RCodeSuccess, 1},
		{"aaaa", query(t, dnsmessage.Header{}, question("app.test.", dnsmessage.TypeAAAA,
			dnsmessage.ClassINET)), dnsmessage.RCodeSuccess, 0},
		{"https", query(t, dnsmessage.Header{}, question("app.test.", typeHTTPS, dnsmessage.ClassINET)),
			dnsmessage.RCodeSuccess, 0},
		{"txt of another", query(t, dnsmessage.Header{}, question("x.evil.test.", dnsmessage.TypeTXT,
			dnsmessage.ClassINET)), dnsmessage.RCodeNameError, 0},
		{"chaos", query(t, dnsmessage.Header{}, question("version.bind.", dnsmessage.TypeTXT,
			dnsmessage.ClassCHAOS)), dnsmessage.RCodeRefused, 0},
		{"two questions", query(t, dnsmessage.Header{}, a, a), dnsmessage.RCodeFormatError, 0},
		{"none", query(t, dnsmessage.Header{}), dnsmessage.RCodeFormatError, 0},
		{"update", query(t, dnsmessage.Header{OpCode: 5}, a), dnsmessage.RCodeNotImplemented, 0},
		{"root", query(t, dnsmessage.Header{}, question(".", dnsmessage.TypeNS, dnsmessage.ClassINET)),
			dnsmessage.RCodeNameError, 0},
	} {
		var m dnsmessage.Message
		if err := m.Unpack(g.answerDNS(tt.query)); err != nil {
			t.Fatal(tt.what, err)
		}
		if m.RCode != tt.code || len(m.Answers) != tt.answers || !m.Response ||
			m.ID != binary.BigEndian.Uint16(tt.query) {
			t.Errorf("%s: %v", tt.what, m)
		}
	}
	for _, junk := range [][]byte{nil, {1}, make([]byte, 11),
		query(t, dnsmessage.Header{Response: true}, a)} {
		if got := g.answerDNS(junk); got != nil {
			t.Errorf("%x: answered %x", junk, got)
		}
	}
}

// captured serves a captured port on a listener of another one.
func (g *rig) captured(t testing.TB, port uint16) string {
	t.Helper()
	l, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- g.each(l, func(c *client) { c.serveCaptured(port) }) }()
	t.Cleanup(func() { l.Close(); <-ended })
	return fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
}

func TestCapturePlain(t *testing.T) {
	addr, _ := web(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "got ", r.Host, r.URL)
	})
	g := start(t, func(g *rig) { g.to(t, "80", addr) }, "app.test", "two.app.test", "127.0.0.1")
	port := g.captured(t, 80)
	for _, tt := range []struct{ host, want string }{
		{"app.test", "got app.test/x"},
		{"two.app.test", "got two.app.test/x"},
		{"evil.test", "403 "},
		{"app.test:8080", "400 "},
	} {
		conn, err := net.Dial("tcp", "127.1.0.1:"+port)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(conn, "GET /x HTTP/1.1\r\nHost: "+tt.host+"\r\n\r\n")
		got, _ := io.ReadAll(conn)
		conn.Close()
		if !strings.Contains(string(got), tt.want) {
			t.Errorf("%s: %q, want %q", tt.host, got, tt.want)
		}
	}
}

func TestCaptureTLS(t *testing.T) {
	addr, cert := secureWeb(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "inside ", r.Host)
	})
	g := start(t, func(g *rig) {
		g.to(t, "443", addr)
		resolve(t, names{"example.com": {"127.0.0.1"}, "app.test": {"127.0.0.1"}}.zone)
	}, "example.com", "app.test", "127.0.0.1")
	port := g.captured(t, 443)
	for i, tt := range []struct{ name, want, reason string }{
		{"example.com", "", ""},
		{"evil.test", "access denied", "evil.test is not among the allowed hosts"},
		{"", "access denied", "no host"},
	} {
		conn, err := net.Dial("tcp", "127.1.0.1:"+port)
		if err != nil {
			t.Fatal(err)
		}
		settings := trust(cert, tt.name)
		settings.InsecureSkipVerify = tt.name == ""
		err = tls.Client(conn, settings).Handshake()
		conn.Close()
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if e := g.event(t, i+1); e.Get("reason").Str != "" != (tt.reason != "") ||
			!strings.Contains(e.Get("reason").Str, tt.reason) || e.Get("method").Str != "TLS" {
			t.Errorf("%s: event %s", tt.name, e)
		}
	}
}

func FuzzDNS(f *testing.F) {
	f.Add(query(f, dnsmessage.Header{ID: 1}, question("app.test.", dnsmessage.TypeA,
		dnsmessage.ClassINET)))
	f.Add(query(f, dnsmessage.Header{OpCode: 4}))
	f.Fuzz(func(t *testing.T, b []byte) {
		allow, _ := parseAllowlist([]string{"app.test"}, presets{})
		s := &Server{Allowlist: allow}
		answer := s.answerDNS(b)
		if answer == nil {
			return
		}
		var m dnsmessage.Message
		if err := m.Unpack(answer); err != nil || m.ID != binary.BigEndian.Uint16(b) || !m.Response {
			t.Fatalf("%x: %x: %v", b, answer, err)
		}
		for _, a := range m.Answers {
			if body, ok := a.Body.(*dnsmessage.AResource); !ok || body.A[0] != 127 || body.A[1] != 1 {
				t.Fatalf("%x: %v", b, m)
			}
		}
	})
}
