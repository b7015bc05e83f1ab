package proxy

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"
)

// block is what downloads are made of.
var block = bytes.Repeat([]byte("0123456789abcdef"), 1<<16/16)

// downloads is a server whose every path is n bytes.
func downloads(t testing.TB, n int64) (addr, port string) {
	return web(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", strconv.FormatInt(n, 10))
		for left := n; left > 0; left -= int64(len(block)) {
			if _, err := w.Write(block[:min(left, int64(len(block)))]); err != nil {
				return
			}
		}
	})
}

// A hundred downloads at once, by each way, beside clients that never finish a
// request, all arrive whole, and the proxy keeps no memory by them.
func TestParallelDownloads(t *testing.T) {
	const size, clients = 4 << 20, 100
	_, port := downloads(t, size)
	g := start(t, nil, "app.test:"+port, "127.0.0.1:"+port)
	files := openFiles() + 2*50 // each client's end and the server's
	for range 50 {
		conn, err := net.Dial("tcp", g.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		io.WriteString(conn, "GET http://app.test/ HT")
	}
	var before, during runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() {
			body := g.download(t, "app.test:"+port, i%2)
			defer body.Close()
			n, err := io.Copy(io.Discard, body)
			if err != nil || n != size {
				t.Errorf("client %d: %d bytes, %v", i, n, err)
			}
		})
	}
	all.Wait()
	runtime.ReadMemStats(&during)
	g.event(t, clients)
	checkFiles(t, files)
	// Heap got from the system in whole: client and server are in it too.
	if grown := int64(during.HeapSys) - int64(before.HeapSys); grown > 64<<20 {
		t.Errorf("the heap grew by %d MiB", grown>>20)
	}
}

func openFiles() int {
	list, _ := os.ReadDir("/proc/self/fd")
	return len(list)
}

// checkFiles waits until no more files are open than before, with room for the
// pipes that package poll keeps for splice.
func checkFiles(t testing.TB, before int) {
	t.Helper()
	for range 1000 {
		if runtime.GC(); openFiles() <= before+10 {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("%d files are open, %d were", openFiles(), before)
}

// download asks for the file by the absolute form (0) or CONNECT (1) and returns its
// body.
func (g *rig) download(t testing.TB, target string, way int) io.ReadCloser {
	u := &url.URL{Scheme: "http", User: url.UserPassword("ua", secret), Host: g.addr}
	tr := &http.Transport{Proxy: http.ProxyURL(u), DisableKeepAlives: true}
	if way == 1 {
		conn, r := g.dialTunnel(t, target)
		io.WriteString(conn, wire("GET / HTTP/1.1\nHost: "+target+"\nConnection: close\n\n"))
		if _, err := readResponse(r); err != nil {
			t.Error(err)
		}
		return struct {
			io.Reader
			io.Closer
		}{r, conn}
	}
	resp, err := (&http.Client{Transport: tr}).Get("http://" + target + "/")
	if err != nil {
		t.Error(err)
		return http.NoBody
	}
	return resp.Body
}

// When the server closes, what is open is cut and logged: a tunnel, an upload
// that nobody reads and a lookup that hangs.
func TestClose(t *testing.T) {
	_, port := echo(t)
	hang := make(chan bool)
	defer close(hang)
	_, deaf := bytesServer(t, func(net.Conn, *bufio.Reader) { <-hang })
	allow, _ := parseAllowlist([]string{"app.test:" + port, "127.0.0.1:" + port, "app.test:" + deaf,
		"127.0.0.1:" + deaf, "slow.test"}, presets{})
	g := &rig{Server: &Server{Allowlist: allow, Secret: secret}}
	asked := make(chan bool, 2)
	resolve(t, func(name string) []netip.Addr {
		if name == "slow.test" {
			asked <- true
			<-hang
		}
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}
	})
	g.Log = func(line []byte) { g.lines = append(g.lines, string(line)) }
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- g.Serve(l) }()
	g.addr = l.Addr().String()
	g.dialTunnel(t, "app.test:"+port)
	upload, err := net.Dial("tcp", g.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer upload.Close()
	io.WriteString(upload,
		wire("PUT http://app.test:"+deaf+"/ HTTP/1.1\nAUTH\nContent-Length: 1000000000\n\n"))
	full := make(chan bool)
	go func() {
		for { // until nothing moves any more
			upload.SetWriteDeadline(time.Now().Add(300 * time.Millisecond))
			if _, err := upload.Write(block); err != nil {
				full <- true
				return
			}
		}
	}()
	<-full
	conn, err := net.Dial("tcp", g.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, wire("GET http://slow.test/ HTTP/1.1\nAUTH\n\n"))
	<-asked
	g.Close()
	if len(g.lines) != 3 {
		t.Errorf("logged %q", g.lines)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := g.Serve(l); err != nil {
		t.Error("served after Close:", err)
	}
}

// TestHalfSent: connections that have not sent a whole request, or not the secret, keep
// nobody out however many there are, and are no events of the network.
func TestHalfSent(t *testing.T) {
	_, port := downloads(t, 10)
	for _, begin := range []string{"", "GET http://app.test/ HT"} {
		g := start(t, func(g *rig) { g.Timeout = time.Hour }, "app.test:"+port, "127.0.0.1:"+port)
		for range maxConns + 200 {
			conn, err := net.Dial("tcp", g.addr)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			io.WriteString(conn, begin)
		}
		client := g.client()
		client.Timeout = time.Minute
		resp, err := client.Get("http://app.test:" + port + "/")
		if got := body(t, resp, err); got != "200 0123456789" {
			t.Errorf("%q: %q", begin, got)
		}
		if e := g.event(t, 1); e.Get("decision").Str != "allow" {
			t.Errorf("%q: %s", begin, e.Raw)
		}
	}
}

// TestCloseFull closes a server whose connections are all taken by clients that say
// nothing, or half of what they want to, while more wait.
func TestCloseFull(t *testing.T) {
	allow, _ := parseAllowlist([]string{"app.test:80"}, presets{})
	s := &Server{Allowlist: allow, Secret: secret, Timeout: time.Hour}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- s.Serve(l) }()
	for i := range maxConns + 20 {
		conn, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		io.WriteString(conn, "CONNECT app.test:80"[:i%20])
	}
	for runtime.NumGoroutine() < maxConns {
		time.Sleep(time.Millisecond)
	}
	closed := make(chan bool)
	go func() { s.Close(); close(closed) }()
	select {
	case <-closed:
	case <-time.After(30 * time.Second):
		t.Fatal("it does not close")
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// BenchmarkDownload compares a direct loopback download with one by the proxy.
func BenchmarkDownload(b *testing.B) {
	const size = 256 << 20
	_, port := downloads(b, size)
	g := start(b, nil, "app.test:"+port, "127.0.0.1:"+port)
	run := func(name string, open func() io.ReadCloser) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(size)
			buf := make([]byte, 256<<10)
			for b.Loop() {
				body := open()
				n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{body}, buf)
				body.Close()
				if n != size || err != nil {
					b.Fatal(n, err)
				}
			}
		})
	}
	run("direct", func() io.ReadCloser {
		client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		resp, err := client.Get("http://127.0.0.1:" + port)
		if err != nil {
			b.Fatal(err)
		}
		return resp.Body
	})
	for way, name := range []string{"plain", "connect"} {
		run(name, func() io.ReadCloser { return g.download(b, "app.test:"+port, way) })
	}
}

// BenchmarkRequest is a small request by the proxy and one without.
func BenchmarkRequest(b *testing.B) {
	_, port := downloads(b, 100)
	g := start(b, nil, "app.test:"+port, "127.0.0.1:"+port)
	direct := &http.Client{Transport: &http.Transport{DisableKeepAlives: true,
		TLSClientConfig: &tls.Config{}}}
	for _, way := range []struct {
		name, url string
		c         *http.Client
	}{{"direct", "http://127.0.0.1:" + port, direct},
		{"plain", "http://app.test:" + port, g.client()}} {
		b.Run(way.name, func(b *testing.B) {
			for b.Loop() {
				resp, err := way.c.Get(way.url)
				if err != nil {
					b.Fatal(err)
				}
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
		})
	}
}
