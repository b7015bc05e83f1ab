package proxy

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"ua/internal/common/execwrap"
)

func TestPlain(t *testing.T) {
	_, port := web(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %s %s", r.Method, r.Host, r.URL, b)
	})
	g := start(t, nil, "app.test:"+port, "127.0.0.1:"+port)
	resp, err := g.client().Post("http://app.test:"+port+"/a/b?c=d", "text/plain",
		strings.NewReader("hello"))
	want := "200 POST app.test:" + port + " /a/b?c=d hello"
	if got := body(t, resp, err); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	e := g.event(t, 1)
	if e.Get("type").Str != "net" || e.Get("decision").Str != "allow" ||
		e.Get("host").Str != "app.test" ||
		e.Get("port").String() != port || e.Get("method").Str != "POST" ||
		e.Get("addr").Str != "127.0.0.1" ||
		e.Get("bytes_up").Int() == 0 || e.Get("bytes_down").Int() < int64(len(want)) ||
		!e.Get("duration_ms").Exists() {
		t.Errorf("event %s", e)
	}
}

// A server of the machine outside has a name, once it is listed.
func TestHostInternal(t *testing.T) {
	_, port := web(t, func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Host) })
	g := start(t, nil, "host.internal:"+port)
	resp, err := g.client().Get("http://host.internal:" + port)
	if got := body(t, resp, err); got != "200 host.internal:"+port {
		t.Error(got)
	}
	resp, err = g.client().Get("http://127.0.0.1:" + port)
	if got := body(t, resp, err); !strings.Contains(got, "403 ") ||
		!strings.Contains(got, "without the proxy") {
		t.Error(got)
	}
	resp, err = g.client().Get("http://host.internal:1")
	if got := body(t, resp, err); !strings.Contains(got, "403 ") {
		t.Error(got)
	}
}

// A refusal says what was refused, what is allowed and who can change it, in
// the status line too.
func TestRefused(t *testing.T) {
	g := start(t, nil, "app.test", "*.other.test:8443")
	resp, err := g.client().Get("http://evil.test/")
	got := body(t, resp, err)
	for _, want := range []string{"403 ", "evil.test is not among the allowed hosts",
		"app.test, *.other.test:8443", "--net-allow"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	if !strings.Contains(resp.Status, "evil.test is not among the allowed hosts") {
		t.Errorf("status %q", resp.Status)
	}
	if _, err = g.client().Get("https://evil.test/"); err == nil ||
		!strings.Contains(err.Error(), "evil.test is not among the allowed hosts") {
		t.Errorf("CONNECT: %v", err)
	}
	if e := g.event(t, 2); e.Get("decision").Str != "deny" || e.Get("method").Str != "CONNECT" ||
		e.Get("host").Str != "evil.test" {
		t.Errorf("event %s", e)
	}
}

func TestSecret(t *testing.T) {
	g := start(t, nil, "app.test")
	for _, line := range []string{
		"", "Proxy-Authorization: Basic dWE6d3Jvbmc=\n", "Proxy-Authorization: Bearer 5ecret\n",
		"Proxy-Authorization: Basic !!!\n", "Authorization: Basic dWE6NWVjcmV0\n", "AUTH\nAUTH\n",
		"Proxy-Authorization: Basic dWE6\n",
	} {
		for _, first := range []string{"GET http://app.test/ HTTP/1.1\nHost: app.test\n",
			"CONNECT app.test:443 HTTP/1.1\n"} {
			got := g.raw(t, first+line+"\n")
			if !strings.HasPrefix(got, "HTTP/1.1 407 ") ||
				!strings.Contains(got, "Proxy-Authenticate: Basic") {
				t.Errorf("%q %q: %q", first, line, got)
			}
		}
	}
	if err := (&Server{}).Serve(nil); err == nil {
		t.Error("a server without a secret serves")
	}
}

// What two readers might read differently is refused, and nothing reaches a server.
func TestSmuggling(t *testing.T) {
	_, port := web(t, func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("a request came through: %s %s", r.Method, r.URL)
	})
	g := start(t, func(g *rig) { g.to(t, "80", "127.0.0.1:"+port) }, "app.test", "127.0.0.1")
	post := "POST http://app.test/ HTTP/1.1\nHost: app.test\nAUTH\n"
	get := "GET http://app.test/ HTTP/1.1\nAUTH\n"
	for _, tt := range []struct{ text, want string }{
		{"GET http://app.test/ HTTP/1.1\nHost: evil.test\nAUTH\n\n", "different hosts"},
		{"GET http://app.test/ HTTP/1.1\nHost: app.test:81\nAUTH\n\n", "different hosts"},
		{"GET http://app.test/ HTTP/1.1\nHost: app.test\nHost: app.test\nAUTH\n\n",
			"more than one Host"},
		{"GET http://app.test/ HTTP/1.1\nHost: app.test\nHost : evil.test\nAUTH\n\n",
			"malformed header"},
		{"GET http://app.test/ HTTP/1.1\nHost: app.test\n folded: x\nAUTH\n\n", "malformed header"},
		{"GET http://user:pw@app.test/ HTTP/1.1\nHost: app.test\nAUTH\n\n", "400"},
		{"GET http://app.test@evil.test/ HTTP/1.1\nHost: app.test\nAUTH\n\n", "user name"},
		{"GET http://evil.test\\@app.test/ HTTP/1.1\nAUTH\n\n", "400"},
		{"GET http://app.test%2eevil.test/ HTTP/1.1\nAUTH\n\n", "malformed URL"},
		{"GET http://app.test#@evil.test/ HTTP/1.1\nAUTH\n\n", "fragment"},
		{"GET http:/app.test/ HTTP/1.1\nAUTH\n\n", "whole http URL"},
		{"GET http:///etc HTTP/1.1\nAUTH\n\n", "whole http URL"},
		{"GET https://app.test/ HTTP/1.1\nAUTH\n\n", "CONNECT"},
		{"GET ftp://app.test/ HTTP/1.1\nAUTH\n\n", "whole http URL"},
		{"GET / HTTP/1.1\nHost: app.test\nAUTH\n\n", "whole http URL"},
		{"GET http://0x7f.1/ HTTP/1.1\nAUTH\n\n", "plain address"},
		{"GET http://2130706433/ HTTP/1.1\nAUTH\n\n", "plain address"},
		{"GET http://app.test/ HTTP/1.1\nHost: app.test\rX: y\nAUTH\n\n", "malformed header"},
		{"GET http://app.test/ HTTP/2.0\nAUTH\n\n", "not HTTP/1"},
		{"GET http://app.test/\nAUTH\n\n", "not HTTP/1"},
		{"GET  http://app.test/ HTTP/1.1\nAUTH\n\n", "not HTTP/1"},
		{"GET http://app.test/ x HTTP/1.1\nAUTH\n\n", "not HTTP/1"},
		{strings.Repeat("G", 33) + " http://app.test/ HTTP/1.1\nAUTH\n\n", "not HTTP/1"},
		{"PRI * HTTP/2.0\n\nSM\n\n", "not HTTP/1"},
		{"GET http://app.test/\x00 HTTP/1.1\nAUTH\n\n", "not HTTP/1"},
		{post + "Content-Length: 4\nTransfer-Encoding: chunked\n\n0\n\n", "both"},
		{post + "Content-Length: 4\nContent-Length: 4\n\nabcd", "more than one"},
		{post + "Content-Length: 4, 4\n\nabcd", "malformed Content-Length"},
		{post + "Content-Length: +4\n\nabcd", "malformed Content-Length"},
		{post + "Content-Length: -1\n\n", "malformed Content-Length"},
		{post + "Content-Length: 0x4\n\nabcd", "malformed Content-Length"},
		{post + "Content-Length:\n\n", "malformed Content-Length"},
		{post + "Transfer-Encoding: gzip, chunked\n\n0\n\n", "other than chunked"},
		{post + "Transfer-Encoding: xchunked\n\n0\n\n", "other than chunked"},
		{post + "Transfer-Encoding: chunked\nTransfer-Encoding: identity\n\n0\n\n", "more than one"},
		{post + "Transfer-Encoding:\x0bchunked\n\n0\n\n", "malformed header"},
		{strings.Replace(post, "1.1", "1.0", 1) + "Transfer-Encoding: chunked\n\n0\n\n", "HTTP/1.0"},
		{get + "Connection: Host\n\n", "Connection names host"},
		{post + "Connection: close, Content-Length\nContent-Length: 1\n\nx",
			"Connection names content-length"},
		{"CONNECT app.test:443 HTTP/1.1\nHost: evil.test:443\nAUTH\n\n", "different hosts"},
		{"CONNECT app.test HTTP/1.1\nAUTH\n\n", "port"},
		{"CONNECT app.test:443/x HTTP/1.1\nAUTH\n\n", "port"},
		{"CONNECT http://app.test:443 HTTP/1.1\nAUTH\n\n", "400"},
		{"CONNECT user@app.test:443 HTTP/1.1\nAUTH\n\n", "user name"},
		{"CONNECT 127.1:443 HTTP/1.1\nAUTH\n\n", "plain address"},
		{"CONNECT app.test:443 HTTP/1.1\nContent-Length: 5\nAUTH\n\nhello", "with a body"},
		{"CONNECT app.test:0443 HTTP/1.1\nAUTH\n\n", "port"},
	} {
		got := g.raw(t, tt.text)
		if !strings.HasPrefix(got, "HTTP/1.1 400 ") || !strings.Contains(got, tt.want) {
			t.Errorf("%q:\n%q, want %q", tt.text, got, tt.want)
		}
	}
	// A bare LF, written without wire's help.
	if got := g.rawBytes(t, "GET http://app.test/ HTTP/1.1\n"+auth+"\n\n"); !strings.Contains(got,
		"CR LF") {
		t.Errorf("bare LF: %q", got)
	}
}

func (g *rig) rawBytes(t testing.TB, text string) string {
	t.Helper()
	conn, err := net.Dial("tcp", g.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, text)
	answer, _ := io.ReadAll(conn)
	return string(answer)
}

func TestHugeHead(t *testing.T) {
	g := start(t, nil, "app.test")
	for _, text := range []string{
		"GET http://app.test/" + strings.Repeat("a", 70000) + " HTTP/1.1\nAUTH\n\n",
		"GET http://app.test/ HTTP/1.1\n" + strings.Repeat("X: y\n", 20000) + "\n",
		strings.Repeat("A", 1<<20),
	} {
		if got := g.raw(t, text); !strings.HasPrefix(got, "HTTP/1.1 431 ") {
			t.Errorf("%.40q…: %.80q", text, got)
		}
	}
}

// A client that does not get done with its head is let go.
func TestSlowClient(t *testing.T) {
	g := start(t, func(g *rig) { g.Timeout = 50 * time.Millisecond }, "app.test")
	for _, text := range []string{
		"", "G", "GET http://app.test/ HTTP/1.1\n", "\x05",
	} {
		g.raw(t, text) // returns when the proxy closes
	}
	conn, err := net.Dial("tcp", g.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for err == nil { // a byte now and then is no way to stay
		time.Sleep(10 * time.Millisecond)
		_, err = io.WriteString(conn, "X")
	}
}

// TestRefusals asks the proxy what it has refused, with the secret and without.
func TestRefusals(t *testing.T) {
	g := start(t, nil, "app.test")
	if resp, err := g.client().Get("http://evil.test/"); err == nil {
		resp.Body.Close()
	}
	resp, err := g.client().Get(execwrap.RefusedURL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != 200 || !strings.Contains(string(text),
		`"host":"evil.test","port":80,"reason":"evil.test is not among the allowed hosts"}`) {
		t.Errorf("%s: %s", resp.Status, text)
	}
	r := refusals{}
	for range 2 * maxRefusals {
		r.add("x", 1, "no\"\n")
	}
	if n := strings.Count(r.text(), "\n"); n != maxRefusals {
		t.Errorf("%d lines are kept", n)
	}
}
