package main

import (
	"bufio"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tidwall/gjson"

	"ua/internal/test/modeltest"
	"ua/internal/test/scripttest"
)

// begins sends the first lines of a conversation, and returns what reads the answer.
func (s *served) begins(options string, lines ...string) (net.Conn, *bufio.Reader) {
	s.t.Helper()
	c, err := net.Dial("unix", s.socket)
	if err != nil {
		s.t.Fatal(err)
	}
	fmt.Fprintf(c, `{"type":"hello","token":%q}`+"\n"+`{"type":"options","thinking":-1%s}`+"\n",
		gatewayToken, options)
	fmt.Fprintln(c, strings.Join(lines, "\n"))
	return c, bufio.NewReader(c)
}

// asks are the lines of a question.
func asks() []string {
	return []string{`{"type":"instruction","text":"hi"}`, `{"type":"turn","n":1}`}
}

// TestEventsGone: the model need not go on for a client that has gone, and what it took is
// counted.
func TestEventsGone(t *testing.T) {
	f := modeltest.NewServer(t, func(n int, api string, _ gjson.Result) modeltest.Reply {
		return modeltest.Reply{Pieces: hello(api).Pieces[:8], Stall: true} // all of the call
	})
	f.Use(t)
	g := serve(t, gatewayToken, "--model", "anthropic/m", "--events")
	c, r := g.begins("", asks()...)
	for {
		line, err := r.ReadString('\n')
		if err != nil || strings.Contains(line, "ls -la") {
			break
		}
	}
	c.Close()
	l := g.lines("model_request", 1)
	if len(l) != 1 || l[0].Get("stop_reason").Str != "interrupted" ||
		l[0].Get("usage.input").Int() == 0 || len(g.lines("proposal", 1)) != 1 {
		t.Errorf("%v", l)
	}
}

// TestEventsFlood: connections that say nothing, or what no conversation is, keep nobody out,
// and nothing is begun for them.
func TestEventsFlood(t *testing.T) {
	f := modeltest.NewServer(t, modeltest.Always(modeltest.Done))
	f.Use(t)
	g := serve(t, gatewayToken, "--model", "anthropic/m", "--events")
	for i := range 600 {
		c, err := net.Dial("unix", g.socket)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		switch i % 3 {
		case 0:
			fmt.Fprint(c, `{"type":"hello"`)
		case 1:
			fmt.Fprintln(c, `{"type":"hello","token":"guessed"}`)
		}
	}
	_, r := g.begins("", asks()...)
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatal("no answer")
		}
		if gjson.Get(line, "type").Str == "response" {
			break
		}
	}
	if n := len(f.Requests()); n != 1 {
		t.Errorf("%d requests", n)
	}
}

// TestEventsWithin: of what a client wishes for, effort, limits and the model are within what
// it may have, and no member of the provider's API passes.
func TestEventsWithin(t *testing.T) {
	f := modeltest.NewServer(t, modeltest.Always(modeltest.Done))
	f.Use(t)
	g := serve(t, gatewayToken, "--model", "anthropic/m", "--events", "--effort", "low",
		"--max-questions", "1")
	_, r := g.begins(`,"effort":"max","service_tier":"priority","fallbacks":["x"]`,
		append([]string{`{"type":"system","text":"s","tools":[{"type":"web_search"}],"speed":"fast"}`},
			append(asks(), asks()...)...)...)
	last := ""
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			break
		}
		last = line
	}
	if gjson.Get(last, "type").Str != "end" || gjson.Get(last, "status").Int() != 124 {
		t.Errorf("a second question: %s", last)
	}
	all := f.Requests()
	if len(all) != 1 {
		t.Fatalf("%d requests", len(all))
	}
	body := fmt.Sprint(all[0])
	for _, member := range []string{"service_tier", "fallbacks", "speed", `"max"`} {
		if strings.Contains(body, member) {
			t.Errorf("%s passes: %s", member, body)
		}
	}
}

// TestEventsAlone: with --events nothing speaks HTTP.
func TestEventsAlone(t *testing.T) {
	f := modeltest.NewServer(t, modeltest.Always(modeltest.Done))
	f.Use(t)
	g := serve(t, gatewayToken, "--model", "anthropic/m", "--events")
	if status, body := g.post("/v1/messages", `{"model":"m"}`); status != 0 ||
		!strings.Contains(body, "EOF") {
		t.Errorf("%d %s", status, body)
	}
}

// TestEventsAbove: a service without a key has the run above answer, holds that to its own
// number of questions, and logs what it used. What is wrong here ends a conversation at once.
func TestEventsAbove(t *testing.T) {
	f := modeltest.NewServer(t, modeltest.Always(hello))
	f.Use(t)
	top := serve(t, gatewayToken, "--model", "anthropic/m", "--allow", "openai/x")
	for _, name := range []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL",
		"OLLAMA_HOST"} {
		t.Setenv(name, "")
	}
	t.Setenv("UA_GATEWAY", top.socket)
	t.Setenv("UA_GATEWAY_TOKEN", gatewayToken)
	if o := think(t, "", " "); o.status != 1 || !strings.Contains(o.stderr, "question is empty") {
		t.Errorf("no question: %d %s", o.status, o.stderr)
	}
	g := serve(t, gatewayToken, "--events", "--max-questions", "2")
	t.Setenv("UA_GATEWAY", g.socket)
	turn := `{"type":"run","id":"r"}` + "\n" + strings.Join(asks(), "\n")
	for i, in := range []string{turn, `{"type":"instruction","text":"hi"}`, turn} {
		o := think(t, in, "--events")
		switch {
		case i < 2 && (o.status != 0 || o.said("text") != "Let me look" ||
			len(o.all("tool_call")) != 1 || len(o.all("response")) != 1):
			t.Errorf("question %d: %d %s%s", i, o.status, o.out, o.stderr)
		case i == 2 && (o.status != 124 || len(o.all("error")) != 1 ||
			!strings.Contains(o.stderr, "limit of 2 questions")):
			t.Errorf("question %d: %d %s%s", i, o.status, o.out, o.stderr)
		}
	}
	l := g.lines("model_request", 3)
	if len(l) != 3 || l[0].Get("usage.output").Int() != 42 || l[0].Get("agent").Str != "r" ||
		l[2].Get("reason").Str != "budget" || len(g.lines("proposal", 2)) != 2 {
		t.Errorf("%v", l)
	}
	if o := think(t, "", "models"); o.out != "anthropic/m\nopenai/x\n" {
		t.Errorf("models: %d %s%s", o.status, o.out, o.stderr)
	}
	t.Setenv("UA_GATEWAY_TOKEN", "another")
	if o := think(t, "", "models"); o.status != 2 || !strings.Contains(o.stderr, "UA_GATEWAY_TOKEN") {
		t.Errorf("models, another token: %d %s%s", o.status, o.out, o.stderr)
	}
	if n := len(f.Requests()); n != 2 {
		t.Errorf("%d requests", n)
	}
}

// TestEventsMute: a signal ends the wait for a run above that does not answer.
func TestEventsMute(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	cmd := exec.Command(filepath.Join(scripttest.Bin(t), "ua-think"), "hello")
	cmd.Env = []string{"HOME=" + t.TempDir(), "UA_GATEWAY=" + socket, "UA_GATEWAY_TOKEN=x"}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if line, err := bufio.NewReader(c).ReadString('\n'); !strings.Contains(line, "hello") {
		t.Errorf("%q %v", line, err)
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 143 {
		t.Error(err)
	}
}

// TestEventsLost: a run above that is gone in the middle of an answer leaves an error.
func TestEventsLost(t *testing.T) {
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		fmt.Fprintln(c, `{"type":"ready","models":["anthropic/m"]}`)
		for in := bufio.NewReader(c); ; {
			if line, err := in.ReadString('\n'); err != nil || strings.Contains(line, `"turn"`) {
				break
			}
		}
		fmt.Fprintln(c, `{"type":"delta","kind":"text","text":"half"}`)
		c.Close()
	}()
	for _, name := range []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL",
		"OLLAMA_HOST"} {
		t.Setenv(name, "")
	}
	t.Setenv("UA_GATEWAY", l.Addr().String())
	o := think(t, strings.Join(asks(), "\n"), "--events")
	if o.status != 75 || o.said("text") != "half" || len(o.all("error")) != 1 {
		t.Errorf("%d %s%s", o.status, o.out, o.stderr)
	}
}
