package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/tidwall/gjson"

	"ua/internal/test/scripttest"
)

// TestReach: in a sandbox, n leaves a host unreached, y opens it to one command, and h to all that
// follow. In between the person's own lines don't reach it either.
func TestReach(t *testing.T) {
	scripttest.Need(t, "curl")
	inShells(t, func(t *testing.T, shell string) {
		var mu sync.Mutex
		got := ""
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			mu.Lock()
			defer mu.Unlock()
			got += r.URL.Path
		}))
		defer server.Close()
		host := strings.TrimPrefix(server.URL, "http://127.0.0.1")
		host = "host.internal" + host
		var calls strings.Builder
		for i := range 4 {
			fmt.Fprintf(&calls, "call: curl -sS http://%s/%d\n---\n", host, i)
		}
		a := askWith(t, shell, calls.String()+"text: Done.", []string{"--sandbox", "workspace"})
		a.send("# fetch\r")
		for _, key := range []string{"n", "y", "h"} {
			a.expect("a yes lets it reach " + host)
			a.expect("[h] allow " + host + " for the session")
			a.expect("[?] help > ")
			a.send(key)
		}
		a.end()
		a.line("curl -sS http://" + host + "/own")
		mu.Lock()
		defer mu.Unlock()
		if got != "/1/2/3" {
			t.Errorf("asked for %q\n%s", got, a.text())
		}
		a.expect("is not among the allowed hosts")
	})
}

// TestNotOpened: what can't be given to a shell that runs is not asked about, and says what can.
func TestNotOpened(t *testing.T) {
	a := askWith(t, "bash", "call: sudo id\n---\ncall: rm -rf /srv/x\n---\ntext: Neither.",
		[]string{"--sandbox", "workspace"})
	if out := a.turn("# do both"); strings.Contains(out, "> y") || strings.Contains(out, "[n]") {
		t.Errorf("asked: %q", out)
	}
	var said []string
	for _, r := range a.journal("tool_result") {
		said = append(said, gjson.Get(r.Raw, "output").Str)
	}
	if len(said) != 2 || !strings.Contains(said[0], "in another terminal") ||
		!strings.Contains(said[1], "ua-shell --sandbox workspace --write /srv") {
		t.Errorf("%q", said)
	}
}
