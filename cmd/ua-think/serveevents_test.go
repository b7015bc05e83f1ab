package main

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"ua/internal/test/modeltest"
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
