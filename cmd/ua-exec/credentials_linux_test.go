package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ua/internal/common/jobs"
	"ua/internal/test/scripttest"
)

// TestStoredPassword has a network command store the proxy's password: with it a later
// command, which may have no network, reaches nothing, and what the first one has left running
// reaches the proxy all the while.
func TestStoredPassword(t *testing.T) {
	scripttest.Need(t, "curl")
	scripttest.NeedTier(t, "3") // below there is no proxy
	const (
		ask    = `curl -s -m 20 -x "$P" http://allowed.example/; `
		stored = `P=$(base64 -d <stored); ` + ask
		store  = `printf %s "$HTTPS_PROXY" | base64 -w 0 >stored; `
	)
	network := func(command string) task {
		return task{command: command, risk: "network", profile: "network"}
	}
	dir := outside(t)
	list := feed(t, confined(t, dir),
		network(store+`P=$HTTPS_PROXY; `+ask+`env | grep -c UA_PROXY; cat stored`),
		task{command: stored + `env | grep -ci -e _proxy=http; true`},
		network(stored),
		network(store+`(until test -e go; do sleep 0.1; done; `+
			`P=$HTTPS_PROXY; `+ask+`touch over) >said 2>&1 &`),
		task{command: `touch go; until test -e over; do sleep 0.1; done; cat said`},
		task{command: `while pgrep -f 'until test -e [g]o' >/dev/null; do sleep 0.1; done`},
		task{command: stored},
	)
	const reached, refused = "no such host", "this command may not use the network"
	for i, want := range []string{reached, refused, refused, "still running", reached, "", refused} {
		got := text(list[i])
		if !strings.Contains(got, want) || i == 0 && !strings.Contains(got, "\n0") ||
			i == 1 && !strings.HasSuffix(got, "\n0") {
			t.Errorf("command %d: %s", i+1, list[i].Raw)
		}
	}
}

// TestStoredTokens has commands that start ua store what stands for them at the sockets: it
// ends with them, and with what they have left running.
func TestStoredTokens(t *testing.T) {
	dir := outside(t)
	out := filepath.Join(dir, "out")
	cmd := uaExec(t, "--unconfined", "--dir", out)
	l := begin(t, cmd)
	ask := func(token string) string {
		request := jobs.Request{Do: "stop", Token: token, Job: "x"}
		return asked(t, out, false, "", request).Get("error").Str
	}
	read := func() string {
		b, _ := os.ReadFile(filepath.Join(cmd.Dir, "stored"))
		return strings.TrimSpace(string(b))
	}
	const store = "echo $UA_JOBS_TOKEN >stored; "
	shows := `,"delegates":true`
	l.send(task{command: store, verdict: shows})
	l.next("tool_result")
	if got := ask(read()); !strings.Contains(got, "permission denied") {
		t.Errorf("the token of a command that has ended: %s", got)
	}
	left := `(until test -e go; do sleep 0.1; done) >/dev/null 2>&1 &`
	l.send(task{command: store + left, verdict: shows})
	l.next("tool_result")
	if got := ask(read()); !strings.Contains(got, "no such job") {
		t.Errorf("the token of a command that has left something running: %s", got)
	}
	l.send(task{command: "touch go"})
	l.next("tool_result")
	until(t, "the end of its rights", func() bool {
		return strings.Contains(ask(read()), "permission denied")
	})
}
