package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/test/modeltest"
)

// TestRingIsJournal: a conversation gives the same bytes turn by turn in one
// process and all at once in another, and a request only grows the last one.
func TestRingIsJournal(t *testing.T) {
	for _, api := range modeltest.APIs() {
		const turns = 50
		var shared [turns]float64
		last := ""
		f := modeltest.NewServer(t, nil)
		f.Answer = func(n int, api string, body gjson.Result) modeltest.Reply {
			if n < turns {
				shared[n] = cached(api, last, body.Raw)
				last = body.Raw
			}
			if n%turns == turns-1 {
				return modeltest.Done(api)
			}
			return modeltest.Reply{Pieces: modeltest.Stream(api, "tool_use",
				modeltest.Say{Kind: "text", Text: "Step " + fmt.Sprint(n)}, modeltest.Say{Kind: "tool",
					ID: fmt.Sprintf("t%d", n), Text: fmt.Sprintf(`{"command":"sed -n %d,%dp main.go"}`, n, n+9)})}
		}
		f.Use(t)
		journal := drive(t, api+"/m")
		if len(f.Requests()) != turns {
			t.Fatalf("%s: %d requests", api, len(f.Requests()))
		}
		if f.Conns() != 1 {
			t.Errorf("%s: %d connections", api, f.Conns())
		}
		t.Logf("%s: %.3f of request %d is served from the cache", api, shared[turns-1], turns)
		if share := shared[turns-1]; share < 0.95 {
			t.Errorf("%s: %.3f of the last request is served from the cache", api, share)
		}
		n := 0
		for i, line := range journal {
			if gjson.Get(line, "type").Str != "response" {
				continue
			}
			// What was there before the response's own calls.
			upto := i
			for gjson.Get(journal[upto-1], "type").Str[:4] == "tool" {
				upto--
			}
			if n%10 == 0 || n == turns-1 {
				o := think(t, strings.Join(journal[:upto], "\n"), "--model", api+"/m", "--dry-run")
				want := gjson.Get(line, "request_sha256").Str
				if got := gjson.Get(o.out, "request_sha256").Str; got != want {
					t.Fatalf("%s: request %d differs:\n%s\n%s", api, n, gjson.Get(o.out, "body").Raw,
						f.Requests()[n])
				}
			}
			n++
		}
	}
}

// drive runs the ring of ua: one ua-think, fed with what it and the commands
// say, until an answer calls nothing.
func drive(t testing.TB, spec string) (journal []string) {
	in, feed, _ := os.Pipe()
	from, out, _ := os.Pipe()
	env := &prog.Env{Name: "ua-think", Args: []string{"--model", spec}, Stdin: in, Stdout: out,
		Stderr: os.Stderr}
	ended := make(chan error, 1)
	go func() {
		ended <- start(env)
		out.Close()
	}()
	put := func(line string) {
		if gjson.Get(line, "type").Str != "turn" {
			journal = append(journal, line)
		}
		fmt.Fprintln(feed, line)
	}
	put(`{"type":"run","id":"r1"}`)
	put(`{"type":"instruction","text":"Read main.go, ten lines at a time"}`)
	r := event.NewReader(from)
	for n := 1; ; n++ {
		put(fmt.Sprintf(`{"type":"turn","n":%d}`, n))
		more := false
		for {
			raw, err := r.Next()
			if err != nil {
				t.Fatal(err)
			}
			line := string(raw)
			switch typ := event.Type(raw); typ {
			case "tool_call":
				more = true
				put(line)
				put(`{"type":"tool_result","exit_code":0,"output":` +
					modeltest.JSON(strings.Repeat("a line of the file\n", 10)) + `,"call_id":` +
					gjson.Get(line, "id").Raw + `}`)
			case "response":
				put(line)
			}
			if event.Type(raw) == "response" {
				break
			}
		}
		if !more {
			break
		}
	}
	feed.Close()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	return journal
}

// cached is the share of a request's prompt that its provider serves from the
// cache after last. Anthropic compares blocks up to a breakpoint that the last
// request had set; the others compare the whole prompt's start.
func cached(api, last, now string) float64 {
	if last == "" {
		return 0
	}
	if api != "anthropic" {
		n := 0
		for n < len(last) && n < len(now) && last[n] == now[n] {
			n++
		}
		return float64(n) / float64(len(now))
	}
	written := blocks(last, true)
	hit, all := 0, 0
	prefix := ""
	for i, b := range blocks(now, false) {
		prefix += b
		all += len(b)
		if i < len(written) && written[i] != "" && written[i] == prefix {
			hit = all
		}
	}
	return float64(hit) / float64(all)
}

// blocks is a request's prompt in blocks: tools, system, messages. With marked
// it is instead, for each block that ends in a breakpoint, all up to there.
func blocks(body string, marked bool) (all []string) {
	prefix := ""
	add := func(role string, b gjson.Result) {
		text := role + strings.ReplaceAll(b.Raw, `,"cache_control":{"type":"ephemeral"}`, "")
		prefix += text
		switch {
		case !marked:
			all = append(all, text)
		case strings.Contains(b.Raw, `"cache_control"`):
			all = append(all, prefix)
		default:
			all = append(all, "")
		}
	}
	for _, path := range []string{"tools", "system"} {
		for _, b := range gjson.Get(body, path).Array() {
			add(path, b)
		}
	}
	for _, m := range gjson.Get(body, "messages").Array() {
		for _, b := range m.Get("content").Array() {
			add(m.Get("role").Str, b)
		}
	}
	return all
}
