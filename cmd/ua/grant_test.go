package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestYesWorks: what a person says yes to is opened to that call, and to no other.
func TestYesWorks(t *testing.T) {
	t.Parallel()
	x := onTerminal(t, "call: mkdir -p ~/docs/new && echo x > ~/docs/new/made\n---\n"+
		"call: echo y > ~/docs/later\n---\ncall: echo z > ~/top\n---\n"+
		"call: echo z > ~/.hidden\n---\ntext: done",
		"--ask", "task")
	os.Mkdir(filepath.Join(x.home, "docs"), 0o755)
	x.answers("y", "n", "y")
	x.end()
	if !strings.Contains(x.seen, "a yes lets it write in ~/docs") {
		t.Error(x.seen)
	}
	for name, there := range map[string]bool{"docs/new/made": true, "docs/later": false, "top": true,
		".hidden": false} {
		if _, err := os.Stat(filepath.Join(x.home, name)); (err == nil) != there {
			t.Errorf("%s: %v\n%s", name, err, x.seen)
		}
	}
}

// answers answers one question after another.
func (x *terminal) answers(keys ...string) {
	for i, key := range keys {
		for strings.Count(x.seen, "help > ") <= i {
			s, ok := <-x.more
			if !ok {
				x.t.Fatalf("ua ended: %q", x.seen)
			}
			x.seen += s
		}
		x.tty.WriteString(key + "\n")
	}
}

// TestHostForTheRun: y opens a host to one call, h to all that follow.
func TestHostForTheRun(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 9)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- r.URL.Path
	}))
	defer server.Close()
	host := strings.Replace(server.URL, "127.0.0.1", "host.internal", 1)
	var calls strings.Builder
	for i := range 4 {
		fmt.Fprintf(&calls, "call: curl -sS %s/%d\n---\n", host, i)
	}
	x := onTerminal(t, calls.String()+"text: done", "--ask", "task")
	x.answers("n", "y", "h")
	x.end()
	close(asked)
	got := ""
	for path := range asked {
		got += path
	}
	if got != "/1/2/3" {
		t.Errorf("asked for %q\n%s", got, x.seen)
	}
}
