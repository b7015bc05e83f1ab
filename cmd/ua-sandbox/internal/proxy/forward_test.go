package proxy

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// capture is a server that answers each request with ok and hands over its bytes.
func captureServer(t testing.TB, answer string) (port string, got chan string) {
	got = make(chan string, 16)
	_, port = bytesServer(t, func(c net.Conn, r *bufio.Reader) {
		var all strings.Builder
		for {
			line, err := r.ReadString('\n')
			all.WriteString(line)
			if err != nil || line == "\r\n" && !strings.Contains(all.String(), "chunked") ||
				line == "0\r\n" {
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
	port, got := captureServer(t, "HTTP/1.1 200 OK\nConnection: keep-alive, X-Hop\nKeep-Alive: "+
		"timeout=5\nProxy-Authenticate: Basic\nContent-Length: 2\n\nok")
	g := start(t, func(g *rig) { g.to(t, "80", "127.0.0.1:"+port) }, "app.test", "127.0.0.1")
	answer := g.raw(t, "POST http://APP.test.?q HTTP/1.1\nUser-Agent: x\nAUTH\nProxy-Connection: "+
		"keep-alive\n"+
		"Connection: X-Secret, keep-alive\nX-Secret: 1\nTE: trailers\nUpgrade: h2c\nKeep-Alive: "+
		"1\nTransfer-Encoding: Chunked\nAuthorization: Bearer mine\n\n"+
		"5;ext=1\nhello\n0\nTrailer: x\n\n")
	sent := <-got
	req, err := http.ReadRequest(bufio.NewReader(strings.NewReader(sent)))
	if err != nil {
		t.Fatal(sent, err)
	}
	read, _ := io.ReadAll(req.Body)
	if fmt.Sprint(req.Method, " ", req.RequestURI, " ", req.Host, " ", req.TransferEncoding, " ",
		req.Close, " ", req.Header, string(read)) != "POST /?q app.test [chunked] true "+
		"map[Authorization:[Bearer mine] Connection:[close] User-Agent:[x]]hello" ||
		strings.Contains(sent, "ext") || strings.Contains(sent, "Trailer") {
		t.Errorf("the server got %q", sent)
	}
	if want := wire("HTTP/1.1 200 OK\nConnection: close\nContent-Length: 2\n\nok"); answer != want {
		t.Errorf("the client got\n%q, want\n%q", answer, want)
	}
}

// A path that begins with two slashes stays a path.
func TestSlashes(t *testing.T) {
	port, got := captureServer(t, "HTTP/1.1 200 OK\nContent-Length: 2\n\nok")
	g := start(t, func(g *rig) { g.to(t, "80", "127.0.0.1:"+port) }, "app.test", "127.0.0.1")
	g.raw(t, "GET http://app.test//evil.test/a%2Fb HTTP/1.1\nAUTH\n\n")
	want := wire("GET //evil.test/a%2Fb HTTP/1.1\nHost: app.test\n")
	if sent := <-got; !strings.HasPrefix(sent, want) {
		t.Errorf("%q", sent)
	}
}

// One request a connection: a second one behind it goes nowhere.
func TestPipelined(t *testing.T) {
	port, got := captureServer(t, "HTTP/1.1 200 OK\nContent-Length: 2\n\nok")
	g := start(t, func(g *rig) { g.to(t, "80", "127.0.0.1:"+port) }, "app.test", "127.0.0.1")
	one := "GET http://app.test/1 HTTP/1.1\nAUTH\n\n"
	answer := g.raw(t, one+"GET http://evil.test/2 HTTP/1.1\nHost: evil.test\n\n")
	if sent := <-got; strings.Contains(sent, "evil") || !strings.HasSuffix(answer, "ok") {
		t.Errorf("the server got %q, the client %q", sent, answer)
	}
}

func TestBadChunks(t *testing.T) {
	post := "POST http://app.test/ HTTP/1.1\nAUTH\nTransfer-Encoding: chunked\n\n"
	for _, bad := range []string{"x\n", "-1\n", "+5\nhello\n0\n\n",
		"5\nhelloX\n0\n\n", "fffffffffffffffff\n", "\n"} {
		t.Run("", func(t *testing.T) {
			port, _ := captureServer(t, "")
			g := start(t, func(g *rig) { g.to(t, "80", "127.0.0.1:"+port) }, "app.test", "127.0.0.1")
			answer := g.raw(t, post+bad)
			if !strings.HasPrefix(answer, "HTTP/1.1 400") {
				t.Errorf("%q: %q", bad, answer)
			}
			if e := g.event(t, 1); !strings.Contains(e.Get("reason").Str, "malformed chunk") {
				t.Errorf("%q: event %s", bad, e)
			}
		})
	}
}

// A response that the server breaks off does not look whole to the client.
func TestBrokenResponse(t *testing.T) {
	arrived := make(chan bool)
	_, port := bytesServer(t, func(c net.Conn, r *bufio.Reader) {
		if req, err := http.ReadRequest(r); err == nil && req.Method == "GET" {
			io.WriteString(c, wire("HTTP/1.1 200 OK\n\n"))
		}
		io.WriteString(c, "half")
		<-arrived
		c.(*net.TCPConn).SetLinger(0)
	})
	g := start(t, func(g *rig) { g.to(t, "80", "127.0.0.1:"+port) }, "app.test", "127.0.0.1",
		"app.test:"+port, "127.0.0.1:"+port)
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
	port, _ := captureServer(t, "HTTP/1.1 100 Continue\n\nHTTP/1.1 103 Early Hints\nLink: "+
		"x\n\nHTTP/1.1 413 Too Large\nContent-Length: 2\n\nno")
	g := start(t, func(g *rig) { g.to(t, "80", "127.0.0.1:"+port) }, "app.test", "127.0.0.1")
	got := g.raw(t, "PUT http://app.test/ HTTP/1.1\nAUTH\nExpect: 100-continue\nContent-Length: "+
		"1000000\n\n")
	want := wire("HTTP/1.1 100 Continue\n\nHTTP/1.1 103 Early Hints\nLink: x\n\nHTTP/1.1 413 Too " +
		"Large\nConnection: close\nContent-Length: 2\n\nno")
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestWebSocket(t *testing.T) {
	_, port := bytesServer(t, func(c net.Conn, r *bufio.Reader) {
		req, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		if req.Header.Get("Upgrade") != "websocket" {
			io.WriteString(c, wire("HTTP/1.1 400 No\nContent-Length: 0\n\n"))
			return
		}
		io.WriteString(c, wire("HTTP/1.1 101 Switching Protocols\nUpgrade: websocket\nConnection: "+
			"Upgrade\n\nhi "))
		io.Copy(c, r)
	})
	g := start(t, func(g *rig) { g.to(t, "80", "127.0.0.1:"+port) }, "app.test", "127.0.0.1")
	conn, err := net.Dial("tcp", g.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, wire("GET http://app.test/ HTTP/1.1\nAUTH\nUpgrade: "+
		"websocket\nConnection: Upgrade\n\nearly "))
	io.WriteString(conn, "late")
	conn.(*net.TCPConn).CloseWrite()
	got, _ := io.ReadAll(conn)
	if want := "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\nhi early " +
		"late"; !strings.HasSuffix(string(got), want) {
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
		t.Run("", func(t *testing.T) {
			port, _ := captureServer(t, tt.answer)
			g := start(t, func(g *rig) { g.to(t, "80", "127.0.0.1:"+port) }, "app.test", "127.0.0.1")
			if got := g.raw(t, "GET http://app.test/ HTTP/1.1\nAUTH\n\n"); !strings.Contains(got,
				"HTTP/1.1 "+tt.want) {
				t.Errorf("%q: %q", tt.answer, got)
			}
		})
	}
	g := start(t, nil, "app.test:1", "127.0.0.1:1", "gone.test")
	if got := g.raw(t, "GET http://app.test:1/ HTTP/1.1\nAUTH\n\n"); !strings.Contains(got, "502") ||
		!strings.Contains(got, "refused") {
		t.Errorf("closed port: %q", got)
	}
	if got := g.raw(t, "GET http://gone.test/ HTTP/1.1\nAUTH\n\n"); !strings.Contains(got,
		"502 gone.test: no such host") {
		t.Errorf("unknown name: %q", got)
	}
}

// A server that answers and never reads the body holds nobody up.
func TestUnreadBody(t *testing.T) {
	done := make(chan bool)
	_, port := bytesServer(t, func(c net.Conn, r *bufio.Reader) {
		http.ReadRequest(r)
		io.WriteString(c, wire("HTTP/1.1 403 No\nContent-Length: 0\n\n"))
		c.(*net.TCPConn).CloseWrite()
		<-done
	})
	defer close(done)
	g := start(t, func(g *rig) { g.to(t, "80", "127.0.0.1:"+port) }, "app.test", "127.0.0.1")
	conn, err := net.Dial("tcp", g.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, wire("PUT http://app.test/ HTTP/1.1\nAUTH\nContent-Length: 100000000\n\n"))
	go io.CopyN(conn, zeros{}, 100000000)
	if status, err := readResponse(bufio.NewReader(conn)); status != 403 {
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
		http.ReadRequest(r)
		asked <- true
		r.Peek(1)
		gone <- true
	})
	g := start(t, func(g *rig) { g.to(t, "80", "127.0.0.1:"+port) }, "app.test", "127.0.0.1")
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
