package proxy

import (
	"bytes"
	"context"
	"net"
	"strings"
	"testing"

	"ua/internal/common/connlimit"
)

// pipe is a connection whose client side is text that was sent and is over.
type pipe struct {
	net.Conn
	in  *strings.Reader
	out bytes.Buffer
}

func (p *pipe) Close() error                { return nil }
func (p *pipe) Read(b []byte) (int, error)  { return p.in.Read(b) }
func (p *pipe) Write(b []byte) (int, error) { return p.out.Write(b) }

// fuzzed serves what was sent by a client that then went, with no way out.
func fuzzed(b []byte) *pipe {
	a, other := net.Pipe()
	other.Close()
	p := &pipe{Conn: a, in: strings.NewReader(string(b))}
	allow, _ := parseAllowlist([]string{"app.test"}, presets{})
	s := &Server{Allowlist: allow, Secret: secret}
	set := connlimit.Set{Most: 1, Open: 1}
	place := set.Take(context.Background(), func() {})
	newClient(context.Background(), s, p, place).serveHTTP(nil)
	return p
}

func FuzzHTTP(f *testing.F) {
	for _, text := range []string{
		"GET http://app.test/ HTTP/1.1\nAUTH\n\n",
		"CONNECT app.test:443 HTTP/1.1\nHost: app.test\nAUTH\n\n",
		"POST http://app.test/ HTTP/1.1\nTransfer-Encoding: chunked\nAUTH\n\n5\nhello\n0\n\n",
		"GET http://app.test/ HTTP/1.1\nConnection: x, y\nX: 1\nUpgrade: websocket\nAUTH\n\n",
	} {
		f.Add([]byte(wire(text)))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		out := fuzzed(b).out.String()
		if strings.HasPrefix(out, "HTTP/1.1 200") && !strings.Contains(string(b), "app.test") {
			t.Fatalf("%q: %q", b, out)
		}
	})
}

// What is forwarded reads the same as what was judged, to net/http at least.
func FuzzForward(f *testing.F) {
	f.Add([]byte(wire("POST http://app.test/a HTTP/1.1\n" +
		"Host: app.test\nContent-Length: 3\nX: y\n\nabc")))
	f.Add([]byte(wire("POST http://app.test?x HTTP/1.1\n" +
		"Transfer-Encoding: chunked\nConnection: x\nX: y\n\n5;x\nhello\n0\nT: x\n\n")))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := newReader(b)
		h, err := readHead(r)
		if err != nil {
			return
		}
		tr := &trip{client: &client{r: r}}
		uri, err := tr.readTarget(h, nil)
		if err != nil {
			return
		}
		var out bytes.Buffer
		body := &upload{t: tr, lose: func(error) {}}
		body.watching.Do(func() {})
		sent := tr.outgoing(h, uri, nil, body)
		if sent.Write(&out) != nil {
			return
		}
		again, err := readHead(newReader(out.Bytes()))
		if err != nil {
			t.Fatalf("%q became %q: %v", b, out.String(), err)
		}
		if got, port, err := parseHostPort(again.fields.Get("Host"), 80); err != nil ||
			got != tr.host || port != tr.port || again.length != h.length ||
			!strings.HasPrefix(again.target, "/") {
			t.Fatalf("%q became %q", b, out.String())
		}
	})
}
