package proxy

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestPlain(t *testing.T) {
	_, port := web(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %s %s", r.Method, r.Host, r.URL, b)
	})
	g := start(t, nil, "app.test:"+port, "127.0.0.1:"+port)
	resp, err := g.client().Post("http://app.test:"+port+"/a/b?c=d", "text/plain", strings.NewReader("hello"))
	want := "200 POST app.test:" + port + " /a/b?c=d hello"
	if got := body(t, resp, err); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	e := g.event(t, 1)
	if e.Get("type").Str != "net" || e.Get("decision").Str != "allow" || e.Get("host").Str != "app.test" ||
		e.Get("port").String() != port || e.Get("method").Str != "POST" || e.Get("addr").Str != "127.0.0.1" ||
		e.Get("bytes_up").Int() == 0 || e.Get("bytes_down").Int() < int64(len(want)) || !e.Get("duration_ms").Exists() {
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
	if got := body(t, resp, err); !strings.Contains(got, "403 ") || !strings.Contains(got, "without the proxy") {
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
	for _, want := range []string{"403 ", "evil.test is not on the list of allowed hosts", "app.test, *.other.test:8443", "--net-allow"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	if !strings.Contains(resp.Status, "evil.test is not on the list") {
		t.Errorf("status %q", resp.Status)
	}
	if _, err = g.client().Get("https://evil.test/"); err == nil || !strings.Contains(err.Error(), "evil.test is not on the list") {
		t.Errorf("CONNECT: %v", err)
	}
	if e := g.event(t, 2); e.Get("decision").Str != "deny" || e.Get("method").Str != "CONNECT" || e.Get("host").Str != "evil.test" {
		t.Errorf("event %s", e)
	}
}

func TestSecret(t *testing.T) {
	g := start(t, nil, "app.test")
	for _, line := range []string{
		"", "Proxy-Authorization: Basic dWE6d3Jvbmc=\n", "Proxy-Authorization: Bearer 5ecret\n",
		"Proxy-Authorization: Basic !!!\n", "Authorization: Basic dWE6NWVjcmV0\n", "AUTH\nAUTH\n", "Proxy-Authorization: Basic dWE6\n",
	} {
		for _, first := range []string{"GET http://app.test/ HTTP/1.1\nHost: app.test\n", "CONNECT app.test:443 HTTP/1.1\n"} {
			got := g.raw(t, first+line+"\n")
			if !strings.HasPrefix(got, "HTTP/1.1 407 ") || !strings.Contains(got, "Proxy-Authenticate: Basic") {
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
	g := start(t, func(g *rig) { g.to(80, "127.0.0.1:"+port) }, "app.test", "127.0.0.1")
	post := "POST http://app.test/ HTTP/1.1\nHost: app.test\nAUTH\n"
	get := "GET http://app.test/ HTTP/1.1\nAUTH\n"
	for _, tt := range []struct{ text, want string }{
		{"GET http://app.test/ HTTP/1.1\nHost: evil.test\nAUTH\n\n", "different hosts"},
		{"GET http://app.test/ HTTP/1.1\nHost: app.test:81\nAUTH\n\n", "different hosts"},
		{"GET http://app.test/ HTTP/1.1\nHost: app.test\nHost: app.test\nAUTH\n\n", "more than one Host"},
		{"GET http://app.test/ HTTP/1.1\nHost: app.test\nHost : evil.test\nAUTH\n\n", "malformed header"},
		{"GET http://app.test/ HTTP/1.1\nHost: app.test\n folded: x\nAUTH\n\n", "malformed header"},
		{"GET http://user:pw@app.test/ HTTP/1.1\nHost: app.test\nAUTH\n\n", "400"},
		{"GET http://app.test@evil.test/ HTTP/1.1\nHost: app.test\nAUTH\n\n", "user name"},
		{"GET http://evil.test\\@app.test/ HTTP/1.1\nAUTH\n\n", "400"},
		{"GET http://app.test%2eevil.test/ HTTP/1.1\nAUTH\n\n", "not a host name"},
		{"GET http://app.test#@evil.test/ HTTP/1.1\nAUTH\n\n", "fragment"},
		{"GET http:/app.test/ HTTP/1.1\nAUTH\n\n", "whole http URL"},
		{"GET http:///etc HTTP/1.1\nAUTH\n\n", "no host"},
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
		{post + "Connection: close, Content-Length\nContent-Length: 1\n\nx", "Connection names content-length"},
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
	if got := g.rawBytes(t, "GET http://app.test/ HTTP/1.1\n"+auth+"\n\n"); !strings.Contains(got, "CR LF") {
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

// capture is a server that answers each request with ok and hands over its bytes.
func captureServer(t testing.TB, answer string) (port string, got chan string) {
	got = make(chan string, 16)
	_, port = bytesServer(t, func(c net.Conn, r *bufio.Reader) {
		var all strings.Builder
		for {
			line, err := r.ReadString('\n')
			all.WriteString(line)
			if err != nil || line == "\r\n" && !strings.Contains(all.String(), "chunked") || line == "0\r\n" {
				break
			}
		}
		got <- all.String()
		io.WriteString(c, wire(answer))
	})
	return port, got
}

// The server gets Host as it was judged, one framing, and no field of the hop.
func TestForwardedHead(t *testing.T) {
	port, got := captureServer(t, "HTTP/1.1 200 OK\nConnection: keep-alive, X-Hop\nKeep-Alive: timeout=5\nProxy-Authenticate: Basic\nContent-Length: 2\n\nok")
	g := start(t, func(g *rig) { g.to(80, "127.0.0.1:"+port) }, "app.test", "127.0.0.1")
	answer := g.raw(t, "POST http://APP.test.?q HTTP/1.1\nUser-Agent: x\nAUTH\nProxy-Connection: keep-alive\n"+
		"Connection: X-Secret, keep-alive\nX-Secret: 1\nTE: trailers\nUpgrade: h2c\nKeep-Alive: 1\nTransfer-Encoding: Chunked\nAuthorization: Bearer mine\n\n"+
		"5;ext=1\nhello\n0\nTrailer: x\n\n")
	want := wire("POST /?q HTTP/1.1\nHost: app.test\nUser-Agent: x\nAuthorization: Bearer mine\nTransfer-Encoding: chunked\nConnection: close\n\n5\nhello\n0\n")
	if sent := <-got; sent != want {
		t.Errorf("the server got\n%q, want\n%q", sent, want)
	}
	if want := wire("HTTP/1.1 200 OK\nContent-Length: 2\nConnection: close\n\nok"); answer != want {
		t.Errorf("the client got\n%q, want\n%q", answer, want)
	}
}

// One request a connection: a second one behind it goes nowhere.
func TestPipelined(t *testing.T) {
	port, got := captureServer(t, "HTTP/1.1 200 OK\nContent-Length: 2\n\nok")
	g := start(t, func(g *rig) { g.to(80, "127.0.0.1:"+port) }, "app.test", "127.0.0.1")
	one := "GET http://app.test/1 HTTP/1.1\nAUTH\n\n"
	answer := g.raw(t, one+"GET http://evil.test/2 HTTP/1.1\nHost: evil.test\n\n")
	if sent := <-got; strings.Contains(sent, "evil") || !strings.HasSuffix(answer, "ok") {
		t.Errorf("the server got %q, the client %q", sent, answer)
	}
}

func TestBadChunks(t *testing.T) {
	post := "POST http://app.test/ HTTP/1.1\nAUTH\nTransfer-Encoding: chunked\n\n"
	for _, bad := range []string{"x\n", "-1\n", "5 \nhello\n0\n\n", "+5\nhello\n0\n\n", "5\nhelloX\n0\n\n", "ffffffffffffffff\n", "\n", "5;a\x00\nhello\n0\n\n"} {
		port, _ := captureServer(t, "")
		g := start(t, func(g *rig) { g.to(80, "127.0.0.1:"+port) }, "app.test", "127.0.0.1")
		answer := g.raw(t, post+bad)
		if !strings.HasPrefix(answer, "HTTP/1.1 400") {
			t.Errorf("%q: %q", bad, answer)
		}
		if e := g.event(t, 1); !strings.Contains(e.Get("reason").Str, "malformed chunk") {
			t.Errorf("%q: event %s", bad, e)
		}
	}
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
	for _, text := range []string{"", "G", "GET http://app.test/ HTTP/1.1\n", "\x05", "\x05\x01\x02"} {
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

// A response that the server breaks off does not look whole to the client.
func TestBrokenResponse(t *testing.T) {
	arrived := make(chan bool)
	_, port := bytesServer(t, func(c net.Conn, r *bufio.Reader) {
		if h, err := readRequest(r); err == nil && h.first[0] == "GET" {
			io.WriteString(c, wire("HTTP/1.1 200 OK\n\n"))
		}
		io.WriteString(c, "half")
		<-arrived
		c.(*net.TCPConn).SetLinger(0)
	})
	g := start(t, func(g *rig) { g.to(80, "127.0.0.1:"+port) }, "app.test", "127.0.0.1", "app.test:"+port, "127.0.0.1:"+port)
	conn, r := g.dialTunnel(t, "app.test:"+port)
	io.WriteString(conn, wire("PUT / HTTP/1.1\n\n"))
	readHalf(t, r, arrived)

	conn, err := net.Dial("tcp", g.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, wire("GET http://app.test/ HTTP/1.1\nAUTH\n\n"))
	r = bufio.NewReader(conn)
	readResponse(r)
	readHalf(t, r, arrived)
}

// readHalf reads "half" and then an error that is no end of file.
func readHalf(t testing.TB, r *bufio.Reader, arrived chan bool) {
	t.Helper()
	half := make([]byte, 4)
	if _, err := io.ReadFull(r, half); err != nil || string(half) != "half" {
		t.Fatalf("%q, %v", half, err)
	}
	arrived <- true
	if _, err := r.ReadByte(); err == nil || err == io.EOF {
		t.Errorf("the end came as %v", err)
	}
}

// Interim responses pass, and a server's early answer reaches a client that has
// not sent its body.
func TestInterim(t *testing.T) {
	port, _ := captureServer(t, "HTTP/1.1 100 Continue\n\nHTTP/1.1 103 Early Hints\nLink: x\n\nHTTP/1.1 413 Too Large\nContent-Length: 2\n\nno")
	g := start(t, func(g *rig) { g.to(80, "127.0.0.1:"+port) }, "app.test", "127.0.0.1")
	got := g.raw(t, "PUT http://app.test/ HTTP/1.1\nAUTH\nExpect: 100-continue\nContent-Length: 1000000\n\n")
	want := wire("HTTP/1.1 100 Continue\n\nHTTP/1.1 103 Early Hints\nLink: x\n\nHTTP/1.1 413 Too Large\nContent-Length: 2\nConnection: close\n\nno")
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestWebSocket(t *testing.T) {
	_, port := bytesServer(t, func(c net.Conn, r *bufio.Reader) {
		h, err := readRequest(r)
		if err != nil {
			return
		}
		if up, _, _ := h.get("Upgrade"); up != "websocket" {
			io.WriteString(c, wire("HTTP/1.1 400 No\nContent-Length: 0\n\n"))
			return
		}
		io.WriteString(c, wire("HTTP/1.1 101 Switching Protocols\nUpgrade: websocket\nConnection: Upgrade\n\nhi "))
		io.Copy(c, r)
	})
	g := start(t, func(g *rig) { g.to(80, "127.0.0.1:"+port) }, "app.test", "127.0.0.1")
	conn, err := net.Dial("tcp", g.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, wire("GET http://app.test/ HTTP/1.1\nAUTH\nUpgrade: websocket\nConnection: Upgrade\n\nearly "))
	io.WriteString(conn, "late")
	conn.(*net.TCPConn).CloseWrite()
	got, _ := io.ReadAll(conn)
	if want := "Upgrade: websocket\r\nConnection: Upgrade\r\n\r\nhi early late"; !strings.HasSuffix(string(got), want) {
		t.Errorf("%q", got)
	}
}

func TestServerTrouble(t *testing.T) {
	for _, tt := range []struct{ answer, want string }{
		{"", "502"},
		{"SSH-2.0-x\n", "502"},
		{"HTTP/1.1 abc\n\n", "502"},
		{"HTTP/1.1 200 OK\nbroken\n\n", "502"},
		{"HTTP/1.1 101 Up\nUpgrade: x\n\n", "502"},
		{"HTTP/1.1 100 Continue\n\nx", "502"},
	} {
		port, _ := captureServer(t, tt.answer)
		g := start(t, func(g *rig) { g.to(80, "127.0.0.1:"+port) }, "app.test", "127.0.0.1")
		if got := g.raw(t, "GET http://app.test/ HTTP/1.1\nAUTH\n\n"); !strings.Contains(got, "HTTP/1.1 "+tt.want) {
			t.Errorf("%q: %q", tt.answer, got)
		}
	}
	g := start(t, nil, "app.test:1", "127.0.0.1:1", "gone.test")
	if got := g.raw(t, "GET http://app.test:1/ HTTP/1.1\nAUTH\n\n"); !strings.Contains(got, "502") || !strings.Contains(got, "refused") {
		t.Errorf("closed port: %q", got)
	}
	if got := g.raw(t, "GET http://gone.test/ HTTP/1.1\nAUTH\n\n"); !strings.Contains(got, "502 gone.test: no such host") {
		t.Errorf("unknown name: %q", got)
	}
}

// A server that answers and never reads the body holds nobody up.
func TestUnreadBody(t *testing.T) {
	done := make(chan bool)
	_, port := bytesServer(t, func(c net.Conn, r *bufio.Reader) {
		readRequest(r)
		io.WriteString(c, wire("HTTP/1.1 403 No\nContent-Length: 0\n\n"))
		c.(*net.TCPConn).CloseWrite()
		<-done
	})
	defer close(done)
	g := start(t, func(g *rig) { g.to(80, "127.0.0.1:"+port) }, "app.test", "127.0.0.1")
	conn, err := net.Dial("tcp", g.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, wire("PUT http://app.test/ HTTP/1.1\nAUTH\nContent-Length: 100000000\n\n"))
	go io.CopyN(conn, zeros{}, 100000000)
	if _, status, err := readResponse(bufio.NewReader(conn)); status != 403 {
		t.Error(status, err)
	}
	g.event(t, 1)
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) { return len(b), nil }

// When the client goes, the server's connection goes too.
func TestClientGone(t *testing.T) {
	asked, gone := make(chan bool), make(chan bool)
	_, port := bytesServer(t, func(c net.Conn, r *bufio.Reader) {
		readRequest(r)
		asked <- true
		r.Peek(1)
		gone <- true
	})
	g := start(t, func(g *rig) { g.to(80, "127.0.0.1:"+port) }, "app.test", "127.0.0.1")
	conn, err := net.Dial("tcp", g.addr)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(conn, wire("GET http://app.test/ HTTP/1.1\nAUTH\n\n"))
	<-asked
	conn.Close()
	<-gone
	if e := g.event(t, 1); e.Get("reason").Str != "the client went away" {
		t.Errorf("event %s", e)
	}
}
