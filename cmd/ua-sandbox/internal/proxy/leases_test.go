package proxy

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"ua/internal/common/execwrap"
)

// A leased is a password and the connection that it hangs on.
type leased struct {
	net.Conn
	credentials string
}

// lease asks for a password with credentials, and returns the status line without them.
func (g *rig) lease(t *testing.T, credentials string) (leased, string) {
	t.Helper()
	conn, err := net.Dial("tcp", g.addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(time.Minute))
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: ua-sandbox.internal\r\n"+
		"Proxy-Authorization: Basic %s\r\n\r\n",
		execwrap.LeaseURL, base64.StdEncoding.EncodeToString([]byte(credentials)))
	r := bufio.NewReader(conn)
	status, _ := r.ReadString('\n')
	for line := "x"; strings.TrimSpace(line) != ""; {
		line, _ = r.ReadString('\n')
	}
	body, _ := r.ReadString('\n')
	return leased{conn, strings.TrimSpace(body)}, status
}

// TestLeases: a leased password holds as long as its connection, can be leased on for as long,
// and tells the proxy's own to nobody.
func TestLeases(t *testing.T) {
	g := start(t, nil)
	first, status := g.lease(t, "ua:"+secret)
	if !strings.Contains(status, " 200 ") || strings.Contains(first.credentials, secret) ||
		!g.permitted(first.credentials) {
		t.Fatalf("%s %q", status, first.credentials)
	}
	second, _ := g.lease(t, first.credentials)
	if second.credentials == first.credentials || !g.permitted(second.credentials) {
		t.Errorf("%q, %q", first.credentials, second.credentials)
	}
	begin, id, _ := strings.Cut(first.credentials, "-")
	for _, wrong := range []string{
		"", "ua:", begin, begin + "-", begin + "-x", "ua:" + secret + "-" + id, "ua:-" + id, id,
		first.credentials + "x", "x" + first.credentials,
	} {
		if g.permitted(wrong) {
			t.Errorf("%q is permitted", wrong)
		}
		if _, status := g.lease(t, wrong); !strings.Contains(status, " 407 ") {
			t.Errorf("%q leases: %s", wrong, status)
		}
	}
	third, _ := g.lease(t, first.credentials)
	fmt.Fprint(second, "x")
	until(t, "its end", func() bool { return !g.permitted(second.credentials) })
	if !g.permitted(first.credentials) || !g.permitted(third.credentials) {
		t.Error("the others have ended with it")
	}
	first.Close()
	until(t, "its end", func() bool { return !g.permitted(first.credentials) })
	if g.permitted(third.credentials) {
		t.Error("one outlives that by which it was asked for")
	}
	if _, status := g.lease(t, first.credentials); !strings.Contains(status, " 407 ") {
		t.Errorf("one that has ended: %s", status)
	}
	if list := g.logged(); strings.Contains(fmt.Sprint(list), "allow") {
		t.Errorf("%q", list)
	}
}

// TestLeasesShare: the whole requests of one command, also with what it has leased on, do not
// keep another command from its password and from the network.
func TestLeasesShare(t *testing.T) {
	g := start(t, nil)
	greedy, _ := g.lease(t, "ua:"+secret)
	below, _ := g.lease(t, greedy.credentials)
	for i := range maxConns + 8 { // each a request that stays
		conn, err := net.Dial("tcp", g.addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: ua-sandbox.internal\r\nProxy-Authorization: "+
			"Basic %s\r\n\r\n", execwrap.LeaseURL, base64.StdEncoding.EncodeToString(
			[]byte([]string{greedy.credentials, below.credentials}[i%2])))
	}
	other, status := g.lease(t, "ua:"+secret)
	if !strings.Contains(status, " 200 ") || !g.permitted(other.credentials) {
		t.Fatalf("another command gets no password: %q", status)
	}
	if _, status := g.lease(t, other.credentials); !strings.Contains(status, " 200 ") {
		t.Errorf("another command's request: %q", status)
	}
}

// TestLeasesEnd: a server that is closed waits for no lease.
func TestLeasesEnd(t *testing.T) {
	g := start(t, nil)
	one, _ := g.lease(t, "ua:"+secret)
	g.Close()
	if n, err := io.ReadAll(one); err != nil && !strings.Contains(err.Error(), "reset") {
		t.Error(n, err)
	}
	until(t, "its end", func() bool { return !g.permitted(one.credentials) })
}

// until waits for a condition.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for range 2000 {
		if ok() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("no sign of %s", what)
}
