package proxy

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

const secret = "5ecret"

// A rig is a running proxy, what it logged, and where it dialled that ports are passed on.
type rig struct {
	*Server
	addr string

	mu     sync.Mutex
	lines  []string
	dialed []netip.AddrPort
}

// start runs a proxy that allows the items. app.test and *.app.test are
// loopback, whose addresses the items must list as well.
func start(t testing.TB, change func(*rig), allow ...string) *rig {
	t.Helper()
	p, err := parseAllowlist(allow, presets{})
	if err != nil {
		t.Fatal(err)
	}
	g := &rig{Server: &Server{Allowlist: p, Secret: secret}}
	resolve(t, names{"app.test": {"127.0.0.1"}, "two.app.test": {"127.0.0.1"}}.zone)
	g.Log = func(line []byte) {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.lines = append(g.lines, string(line))
	}
	if change != nil {
		change(g)
	}
	g.addr = g.listen(t, g.Serve)
	return g
}

// listen runs serve on a new loopback listener until the test ends.
func (g *rig) listen(t testing.TB, serve func(net.Listener) error) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- serve(l) }()
	t.Cleanup(func() {
		l.Close()
		if err := <-ended; err != nil {
			t.Error("serve:", err)
		}
	})
	return l.Addr().String()
}

// event waits until n events are logged and returns the last.
func (g *rig) event(t testing.TB, n int) gjson.Result {
	t.Helper()
	for range 2000 {
		g.mu.Lock()
		if len(g.lines) >= n {
			line := g.lines[n-1]
			g.mu.Unlock()
			return gjson.Parse(line)
		}
		g.mu.Unlock()
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("no event %d", n)
	return gjson.Result{}
}

func (g *rig) logged() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.lines)
}

// dials is the addresses that were dialled.
func (g *rig) dials() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return fmt.Sprint(g.dialed)
}

// client is an HTTP client that uses the proxy for every host.
func (g *rig) client() *http.Client {
	u := &url.URL{Scheme: "http", User: url.UserPassword("ua", secret), Host: g.addr}
	return &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(u), DisableKeepAlives: true}}
}

// raw sends text to the proxy and returns all that it answers. AUTH stands for
// the line with the credentials, and lines end in CR LF.
func (g *rig) raw(t testing.TB, text string) string {
	t.Helper()
	conn, err := net.Dial("tcp", g.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, wire(text))
	answer, err := io.ReadAll(conn)
	if err != nil {
		t.Log("raw:", err)
	}
	return string(answer)
}

const auth = "Proxy-Authorization: Basic dWE6NWVjcmV0" // ua:5ecret

func wire(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "AUTH", auth), "\n", "\r\n")
}

// web runs an HTTP server and returns its address and port.
func web(t testing.TB, h http.HandlerFunc) (addr, port string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: h}
	go s.Serve(l)
	t.Cleanup(func() { s.Close() })
	addr = l.Addr().String()
	return addr, addr[strings.LastIndexByte(addr, ':')+1:]
}

// bytesServer accepts connections and gives each to serve.
func bytesServer(t testing.TB, serve func(net.Conn, *bufio.Reader)) (addr, port string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() { defer conn.Close(); serve(conn, bufio.NewReader(conn)) }()
		}
	}()
	return l.Addr().String(), strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// echo is a server that sends back what it gets.
func echo(t testing.TB) (addr, port string) {
	return bytesServer(t, func(c net.Conn, r *bufio.Reader) { io.Copy(c, r) })
}

func body(t testing.TB, resp *http.Response, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d %s", resp.StatusCode, b)
}

func newReader(b []byte) *bufio.Reader { return bufio.NewReader(strings.NewReader(string(b))) }

// readResponse reads a response to its body, and returns the status.
func readResponse(r *bufio.Reader) (int, error) {
	resp, err := http.ReadResponse(r, &http.Request{Method: "CONNECT"})
	if err != nil {
		return 0, err
	}
	return resp.StatusCode, nil
}
