package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"ua/internal/test/modeltest"
)

// converseWith asks for some turns, a process each, with a result for each
// call, until an answer has no call. It returns the conversation.
func converseWith(t testing.TB, model string, turns int, args ...string) (journal []string,
	last result) {
	t.Helper()
	journal = []string{`{"type":"run","id":"r1"}`, `{"type":"instruction","text":"do it"}`}
	for range turns {
		last = think(t, strings.Join(journal, "\n"), append([]string{"--model", model}, args...)...)
		if last.status != 0 {
			t.Fatalf("status %d: %s", last.status, last.stderr)
		}
		for _, e := range last.events {
			switch e.Get("type").Str {
			case "tool_call":
				journal = append(journal, e.Raw,
					`{"type":"tool_result","call_id":`+e.Get("id").Raw+`,"exit_code":0,"output":"fine\n"}`)
			case "response", "error":
				journal = append(journal, e.Raw)
			}
		}
		if last.one(t, "response").Get("stop_reason").Str != "tool_use" {
			break
		}
	}
	return journal, last
}

// TestAnswers asks each API for each kind of answer, and then again with all
// that was said before: the fake is strict about what comes back.
func TestAnswers(t *testing.T) {
	hard := "Grüße, 世界 😀 \"quoted\" \\ back\n\ttab \u2028 \x7f end"
	for _, c := range []struct {
		name string
		says []modeltest.Say
		stop string
		text string
		cmds []string
	}{
		{name: "text", says: []modeltest.Say{{Kind: "text", Text: "Hello there"}}, stop: "end_turn",
			text: "Hello there"},
		{name: "one byte pieces", says: []modeltest.Say{{Kind: "text", Text: hard, Piece: 1}},
			stop: "end_turn", text: hard},
		{name: "a call", says: []modeltest.Say{{Kind: "text", Text: "Looking"}, {Kind: "tool", ID: "t1",
			Text: `{"command":"ls"}`}}, stop: "tool_use", text: "Looking", cmds: []string{"ls"}},
		{name: "calls", says: []modeltest.Say{
			{Kind: "tool", ID: "t1", Text: `{"command":"ls"}`, Piece: 1},
			{Kind: "tool", ID: "t2", Text: `{"command":"pwd", "timeout_ms": 5}`, Piece: 3}},
			stop: "tool_use", cmds: []string{"ls", "pwd"}},
		{name: "thinking", says: []modeltest.Say{
			{Kind: "thinking", Text: "Hm, let me see", Sig: "sig-1"},
			{Kind: "tool", ID: "t1", Text: `{"command":"ls"}`}},
			stop: "tool_use", cmds: []string{"ls"}},
		{name: "redacted", says: []modeltest.Say{{Kind: "redacted", Text: "red-1+/="},
			{Kind: "thinking", Text: "", Sig: "sig-\u00e9+/=="},
			{Kind: "tool", ID: "t1", Text: `{"command":"ls"}`}}, stop: "tool_use", cmds: []string{"ls"}},
		{name: "thinking and text", says: []modeltest.Say{{Kind: "thinking", Text: "Hm", Sig: "sig-2"},
			{Kind: "text", Text: "So"}, {Kind: "tool", ID: "t3", Text: `{"command":"id"}`}},
			stop: "tool_use", text: "So", cmds: []string{"id"}},
	} {
		for _, api := range modeltest.APIs() {
			t.Run(c.name+"/"+api, func(t *testing.T) {
				f := modeltest.NewServer(t, func(n int, api string, body gjson.Result) modeltest.Reply {
					if n > 0 {
						return modeltest.Done(api)
					}
					return modeltest.Reply{Pieces: modeltest.Stream(api, c.stop, c.says...)}
				})
				f.Use(t)
				journal, _ := converseWith(t, api+"/m", 1)
				var text string
				var cmds []string
				for _, line := range journal {
					ev := gjson.Parse(line)
					switch ev.Get("type").Str {
					case "tool_call":
						cmds = append(cmds, ev.Get("input.command").Str)
					case "response":
						if got := ev.Get("stop_reason").Str; got != c.stop {
							t.Errorf("stop reason %s", got)
						}
						for _, b := range ev.Get("content").Array() {
							text += b.Get("text").Str
						}
						if u := ev.Get("usage"); u.Get("output").Int() != 42 || u.Get("input").Int() == 0 {
							t.Errorf("usage %s", u.Raw)
						}
					}
				}
				if text != c.text || fmt.Sprint(cmds) != fmt.Sprint(c.cmds) {
					t.Errorf("text %q, commands %q", text, cmds)
				}
				if len(c.cmds) > 0 {
					more := append(journal, `{"type":"instruction","text":"and now?"}`)
					if o := think(t, strings.Join(more, "\n"), "--model", api+"/m"); o.status != 0 ||
						o.said("text") != "Done." {
						t.Errorf("the second turn: %d %s %s", o.status, o.out, o.stderr)
					}
					for _, s := range c.says {
						sealed := s.Sig
						if s.Kind == "redacted" && api == "anthropic" {
							sealed = s.Text
						}
						if (api == "anthropic" || api == "openai") && !strings.Contains(f.Requests()[1], sealed) {
							t.Errorf("%q does not go back in %s", sealed, f.Requests()[1])
						}
					}
				}
			})
		}
	}
}
