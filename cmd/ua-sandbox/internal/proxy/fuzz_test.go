package proxy

import (
	"bytes"
	"context"
	"net"
	"strings"
	"testing"

	"ua/internal/common/places"
)

// pipe is a connection whose client side is text that was sent and is over.
type pipe struct {
	net.Conn
	in  *strings.Reader
	out bytes.Buffer
}

func (p *pipe) Read(b []byte) (int, error)  { return p.in.Read(b) }
func (p *pipe) Write(b []byte) (int, error) { return p.out.Write(b) }

// fuzzed serves what was sent by a client that then went, with no way out.
func fuzzed(b []byte) *pipe {
	a, other := net.Pipe()
	other.Close()
	p := &pipe{Conn: a, in: strings.NewReader(string(b))}
	policy, _ := parsePolicy([]string{"app.test"}, presets{})
	s := &Server{Policy: policy, Secret: secret}
	set := places.Set{Most: 1, Open: 1}
	place := set.Take(context.Background(), func() {})
	newClient(context.Background(), s, p, place).serveProxy()
	return p
}

func FuzzSOCKS(f *testing.F) {
	f.Add([]byte(socksHello + "\x05\x01\x00\x03\x08app.test\x01\xbb"))
	f.Add([]byte(socksHello +
		"\x05\x01\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x01\xbb"))
	f.Add([]byte("\x05\x01\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 0 {
			b[0] = 5
		}
		fuzzed(b)
	})
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

// What is forwarded reads the same as what was judged, to this reader at least,
// and says its host, its framing and its end once.
func FuzzForward(f *testing.F) {
	f.Add([]byte(wire("POST http://app.test/a HTTP/1.1\n" +
		"Host: app.test\nContent-Length: 3\nX: y\n\n")))
	f.Add([]byte(wire("POST http://app.test?x HTTP/1.1\n" +
		"Transfer-Encoding: chunked\nConnection: x\nX: y\n\n")))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := readRequest(newReader(b))
		if err != nil {
			return
		}
		tr := &trip{}
		path, err := tr.target(h, nil)
		fr, err2 := h.framing()
		fields, err3 := h.endToEnd()
		if err != nil || err2 != nil || err3 != nil {
			return
		}
		out := headBytes(h.first[0]+" "+path+" "+h.first[2], tr.rewrite(fields, fr, false, 80))
		again, err := readRequest(newReader(out))
		if err != nil {
			t.Fatalf("%q became %q: %v", b, out, err)
		}
		fr2, err := again.framing()
		if value, ok, err2 := again.get("Host"); err != nil || err2 != nil || !ok || fr2 != fr ||
			value == "" {
			t.Fatalf("%q became %q: %v %v", b, out, err, err2)
		}
		if again.first[1] != path || !strings.HasPrefix(path, "/") {
			t.Fatalf("%q became %q", b, out)
		}
	})
}

func FuzzChunks(f *testing.F) {
	f.Add([]byte("5;x\r\nhello\r\n0\r\nT: x\r\n\r\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var one, two bytes.Buffer
		if _, err := copyBody(&one, newReader(b), framing{chunked: true}); err != nil {
			return
		}
		if _, err := copyBody(&two, newReader(one.Bytes()), framing{chunked: true}); err != nil ||
			one.String() != two.String() {
			t.Fatalf("%q: %q, then %q (%v)", b, one.String(), two.String(), err)
		}
	})
}
