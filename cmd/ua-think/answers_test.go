package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/test/modeltest"
)

// chunk is a chunk of a completion.
func chunk(delta, finish string) string {
	return data(`{"choices":[{"index":0,"delta":` + delta + `,"finish_reason":` + finish + `}]}`)
}

// data is an event without a name.
func data(text string) string { return "data: " + text + "\n\n" }

// replies are what a server sends, request by request; the last of them also to all others.
func replies(list ...string) func(int, string, gjson.Result) modeltest.Reply {
	return func(n int, _ string, _ gjson.Result) modeltest.Reply {
		return modeltest.Reply{Pieces: []string{list[min(n, len(list)-1)]}}
	}
}

// TestNothingSaid: an answer without a word is no answer: it is asked for once more.
func TestNothingSaid(t *testing.T) {
	end := map[string]string{}
	for _, api := range modeltest.APIs() {
		end[api+" nothing"] = strings.Join(modeltest.Stream(api, "end_turn"), "")
		end[api+" blanks"] = strings.Join(modeltest.Stream(api, "end_turn",
			modeltest.Say{Kind: "text", Text: " \n"}), "")
		end[api+" nothing to see"] = strings.Join(modeltest.Stream(api, "end_turn",
			modeltest.Say{Kind: "text", Text: "\ufeff\u200b\u2060\u00a0\n"}), "")
		end[api+" thoughts"] = strings.Join(modeltest.Stream(api, "end_turn",
			modeltest.Say{Kind: "thinking", Text: "hm", Sig: "sig-1"}), "")
	}
	end["openai-chat null"] = chunk(`{"role":"assistant","content":null}`, `"stop"`)
	end["openai-chat tags"] = chunk(`{"content":"<think>hm</think>\n\n"}`, `"stop"`)
	end["openai-chat open"] = chunk(`{"content":"<think>hm"}`, `"stop"`)
	end["openai-chat tool_calls"] = chunk(`{"tool_calls":[]}`, `"tool_calls"`)
	end["openai-chat a call's end"] = chunk(`{"content":"I look at it."}`, `"tool_calls"`)
	end["anthropic a call's end"] = strings.Join(modeltest.Stream("anthropic", "tool_use",
		modeltest.Say{Kind: "text", Text: "I look at it."}), "")
	end["openai output"] = modeltest.SSE("x",
		`{"type":"response.completed","response":{"status":"completed","output":[]}}`)
	for name, empty := range end {
		api, _, _ := strings.Cut(name, " ")
		f := modeltest.NewServer(t, replies(empty))
		f.Use(t)
		o := think(t, "", "--model", api+"/m", "--max-wait=1ms", "hi")
		e := o.all("error")
		if o.status != 75 || len(f.Requests()) != 2 || f.Requests()[0] != f.Requests()[1] ||
			len(e) != 2 || !e[1].Get("retryable").Bool() || e[1].Get("status").Int() != 75 {
			t.Errorf("%s: status %d, %d requests, %s", name, o.status, len(f.Requests()), o.out)
		}
		for _, r := range o.all("response") {
			if r.Get("stop_reason").Str != "error" {
				t.Errorf("%s: %s", name, r.Raw)
			}
		}
		if strings.HasSuffix(name, "a call's end") {
			continue // with --text none is expected, and the words are the answer
		}
		if o := think(t, "", "--model", api+"/m", "--text", "--max-wait=1ms", "hi"); o.status != 75 ||
			event.Visible(o.out) {
			t.Errorf("%s, as text: %d %q", name, o.status, o.out)
		}
		f = modeltest.NewServer(t, replies(empty, strings.Join(modeltest.Done(api).Pieces, "")))
		f.Use(t)
		o = think(t, "", "--model", api+"/m", "--text", "--max-wait=1ms", "hi")
		if o.status != 0 || o.out != "Done.\n" {
			t.Errorf("%s, then words: %d %q %s", name, o.status, o.out, o.stderr)
		}
	}
}

// TestStopWords: a stop reason that means trouble, or that nobody knows, is no end, from
// whatever source it comes.
func TestStopWords(t *testing.T) {
	dir := t.TempDir()
	for word, status := range map[string]int{
		"stop": 0, "end_turn": 0, "STOP": 0, "eos": 0, "stop_sequence": 0,
		"length": 1, "max_tokens": 1, "model_length": 1, "content_filter": 1, "refusal": 1,
		"model_context_window_exceeded": 1, "sensitive": 1, "recitation": 1, "SAFETY": 1,
		"insufficient_system_resource": 75, "abort": 75, "network_error": 75, "error": 75,
		"malformed_function_call": 75, "interrupted": 75, "null": 75, "stop_the_press": 75, "load": 75,
		"cancelled": 75, "pause_turn": 75,
	} {
		quoted := modeltest.JSON(word)
		record := `{"type":"response","stop_reason":` + quoted +
			`,"content":[{"type":"text","text":"The files are a, b and"}]}` + "\n"
		file := filepath.Join(dir, word)
		if err := os.WriteFile(file, []byte(record), 0o600); err != nil {
			t.Fatal(err)
		}
		said := modeltest.Say{Kind: "text", Text: "The files are a, b and"}
		for spec, stream := range map[string]string{
			"openai-chat/m": chunk(`{"content":"The files are a, b and"}`, quoted),
			"anthropic/m":   strings.Join(modeltest.Stream("anthropic", word, said), ""),
			"ollama/m": `{"message":{"content":"The files are a, b and"},"done":true,"done_reason":` +
				quoted + "}\n",
			"openai/m": modeltest.SSE("response.output_text.delta",
				`{"type":"response.output_text.delta","output_index":0,"delta":"The files are a, b and"}`) +
				modeltest.SSE("response.incomplete", `{"type":"response.incomplete","response":{`+
					`"status":"incomplete","incomplete_details":{"reason":`+quoted+`}}}`),
			"replay:" + file:   "",
			"exec:cat " + file: "",
		} {
			if word == "pause_turn" && strings.HasSuffix(spec, "/m") {
				continue // the turn goes on: TestPause
			}
			f := modeltest.NewServer(t, replies(stream))
			f.Use(t)
			o := think(t, "", "--model", spec, "hi")
			if o.status != status || len(f.Requests()) > 1 || len(o.all("response")) != 1 {
				t.Errorf("%s, %s: status %d, want %d: %s", spec, word, o.status, status, o.out)
				continue
			}
			stop := o.one(t, "response").Get("stop_reason").Str
			if want := map[int]string{0: "end_turn", 1: "max_tokens refusal",
				75: "error interrupted"}[status]; !strings.Contains(want, stop) {
				t.Errorf("%s, %s: stop reason %s", spec, word, stop)
			}
			if status > 0 && (!strings.Contains(o.stderr, word) ||
				o.one(t, "error").Get("status").Int() != int64(status)) {
				t.Errorf("%s, %s: %s", spec, word, o.stderr)
			}
		}
	}
}

// TestPause: a turn that the provider has paused goes on, in the same answer.
func TestPause(t *testing.T) {
	stream := func(stop, text string) string {
		return strings.Join(modeltest.Stream("anthropic", stop,
			modeltest.Say{Kind: "thinking", Text: "hm", Sig: "sig-1"},
			modeltest.Say{Kind: "text", Text: text}), "")
	}
	f := modeltest.NewServer(t, replies(stream("pause_turn", "one "), stream("pause_turn", "two "),
		stream("end_turn", "three")))
	f.Pauses = true
	f.Use(t)
	o := think(t, "", "--model", "anthropic/m", "hi")
	resp := o.one(t, "response")
	said := fmt.Sprint(resp.Get(`content.#(type=="text")#.text`).Value())
	if o.status != 0 || said != "[one  two  three]" || resp.Get("stop_reason").Str != "end_turn" ||
		len(f.Requests()) != 3 || resp.Get("usage.output").Int() != 3*42 {
		t.Fatalf("%d, %d requests, %s %s", o.status, len(f.Requests()), o.out, o.stderr)
	}
	last := gjson.Get(f.Requests()[2], "messages.@reverse.0")
	if last.Get("role").Str != "assistant" || last.Get("content.3.text").Str != "two" ||
		last.Get("content.0.signature").Str != "sig-1" {
		t.Errorf("what goes back is %s", last.Raw)
	}
	f = modeltest.NewServer(t, replies(stream("pause_turn", "one")))
	f.Pauses = true
	f.Use(t)
	if o := think(t, "", "--model", "anthropic/m", "hi"); o.status != 75 || len(f.Requests()) != 11 {
		t.Errorf("for ever: %d, %d requests, %s", o.status, len(f.Requests()), o.stderr)
	}
	f = modeltest.NewServer(t, replies(strings.Join(modeltest.Stream("anthropic", "pause_turn"), "")))
	f.Use(t)
	if o := think(t, "", "--model", "anthropic/m", "hi"); o.status != 75 || len(f.Requests()) != 1 {
		t.Errorf("without a block: %d, %d requests, %s", o.status, len(f.Requests()), o.stderr)
	}
}

// TestSpoiledCalls: the model is told what is wrong with a call, and how often it may try.
func TestSpoiledCalls(t *testing.T) {
	half := `{"command":"cat >f <<E\nlong`
	for name, c := range map[string]struct{ api, stop, input, says, ends string }{
		"cut":         {"anthropic", "max_tokens", half, "cut at 42 tokens", "cut"},
		"cut in chat": {"openai-chat", "max_tokens", half, "cut at 42 tokens", "cut"},
		"a line break": {"openai-chat", "tool_use", "{\"command\":\"a\nb\"}", "string literal",
			"not JSON"},
		"no end":        {"anthropic", "tool_use", `{"command":"ls"`, "unexpected end", "not JSON"},
		"no end, other": {"openai", "tool_use", `{"command":"ls"`, "unexpected end", "not JSON"},
	} {
		f := modeltest.NewServer(t, func(n int, api string, _ gjson.Result) modeltest.Reply {
			return modeltest.Reply{Pieces: modeltest.Stream(api, c.stop,
				modeltest.Say{Kind: "tool", ID: fmt.Sprint("t", n), Text: c.input})}
		})
		f.Use(t)
		journal := []string{`{"type":"instruction","text":"go"}`}
		var o result
		for n := range 5 {
			o = think(t, strings.Join(journal, "\n"), "--model", c.api+"/m", "--quiet")
			for _, e := range o.events {
				journal = append(journal, e.Raw)
			}
			if o.status != 0 {
				if n != 2 {
					t.Errorf("%s: ends after %d", name, n+1)
				}
				break
			}
			if len(o.all("tool_call")) > 0 || o.all("error")[0].Get("call_id").Str == "" {
				t.Errorf("%s: %s", name, o.out)
			}
		}
		told := gjson.Get(f.Requests()[1], "@this").Raw
		if o.status != 1 || len(f.Requests()) != 3 || !strings.Contains(told, c.says) ||
			!strings.Contains(o.stderr, c.ends) || o.one(t, "response").Get("stop_reason").Str != "error" {
			t.Errorf("%s: %d, %d requests, %s\n%s", name, o.status, len(f.Requests()), o.stderr, told)
		}
	}
}

// TestUnended: an answer without a stop reason is taken if nothing of it is missing.
func TestUnended(t *testing.T) {
	call := `{"tool_calls":[{"index":0,"id":"a","function":` +
		`{"name":"shell","arguments":"{\"x\":1}"}}]}`
	half := strings.Replace(call, `1}`, `1`, 1)
	whole := modeltest.Stream("anthropic", "end_turn", modeltest.Say{Kind: "text", Text: "All."})
	responses := modeltest.Stream("openai", "end_turn", modeltest.Say{Kind: "text", Text: "All."})
	for name, c := range map[string]struct {
		api, stream string
		status      int
	}{
		"text":           {"openai-chat", chunk(`{"content":"All."}`, "null"), 0},
		"text, [DONE]":   {"openai-chat", chunk(`{"content":"All."}`, "null") + "data: [DONE]\n\n", 0},
		"a refusal":      {"openai-chat", chunk(`{"refusal":"No."}`, "null") + "data: [DONE]\n\n", 1},
		"a call":         {"openai-chat", chunk(call, "null"), 0},
		"half a call":    {"openai-chat", chunk(half, "null") + "data: [DONE]\n\n", 75},
		"text, half":     {"openai-chat", chunk(`{"content":"I"}`, "null") + chunk(half, "null"), 75},
		"ollama":         {"ollama", `{"message":{"content":"All."},"done":false}` + "\n", 0},
		"messages":       {"anthropic", strings.Join(whole[:len(whole)-2], ""), 0},
		"an open block":  {"anthropic", strings.Join(whole[:len(whole)-3], ""), 75},
		"responses":      {"openai", strings.Join(responses[:len(responses)-1], ""), 0},
		"an open item":   {"openai", strings.Join(responses[:len(responses)-2], ""), 75},
		"nothing":        {"openai-chat", "data: [DONE]\n\n", 75},
		"comments":       {"openai-chat", ": PROCESSING\n\n: PROCESSING\n\n", 75},
		"half an event":  {"openai-chat", chunk(`{"content":"All."}`, "null") + `data: {"cho`, 75},
		"half of a tag":  {"openai-chat", chunk(`{"content":"<thin"}`, "null"), 75},
		"half a thought": {"openai-chat", chunk(`{"content":"<think>hm"}`, "null"), 75},
	} {
		f := modeltest.NewServer(t, replies(c.stream))
		f.Use(t)
		o := think(t, "", "--model", c.api+"/m", "--retries=0", "hi")
		if told := strings.Count(o.stderr, "gave no stop reason"); o.status != c.status ||
			(told == 1) != (c.status == 0) || len(o.all("tool_call")) != strings.Count(name, "a call")-
			strings.Count(name, "half a call") {
			t.Errorf("%s: %d %s%s", name, o.status, o.out, o.stderr)
		}
	}
}

// TestDialectsAsked: an answer as any server may send it comes out as the model meant it.
func TestDialectsAsked(t *testing.T) {
	says := []modeltest.Say{{Kind: "text", Text: "I look"},
		{Kind: "tool", ID: "a1", Text: `{"command":"one"}`},
		{Kind: "tool", ID: "b2", Text: `{"command":"two"}`}}
	streams := map[string]func(*rand.Rand, ...modeltest.Say) []string{
		"anthropic": modeltest.OddMessages, "openai": modeltest.OddResponses}
	for _, d := range modeltest.Dialects() {
		streams["openai-chat "+d.Name] = d.Stream
	}
	for name, stream := range streams {
		for seed := range uint64(6) {
			pieces := stream(rand.New(rand.NewPCG(seed, 7)), says...)
			f := modeltest.NewServer(t, replies(strings.Join(pieces, "")))
			f.Use(t)
			api, _, _ := strings.Cut(name, " ")
			o := think(t, "", "--model", api+"/m", "hi")
			got := map[string]int{}
			for _, c := range o.all("tool_call") {
				got[c.Get("input.command").Str]++
			}
			if o.status != 0 || fmt.Sprint(got) != "map[one:1 two:1]" || o.said("text") != "I look" ||
				len(f.Requests()) != 1 || o.one(t, "response").Get("content.#").Int() != 3 {
				t.Errorf("%s, seed %d: %d %s%s\n%s", name, seed, o.status, o.out, o.stderr,
					strings.Join(pieces, ""))
			}
		}
	}
}

// TestErrorForms: an error in a stream with the status 200 has any form; its words are shown,
// and what no other try can change is not tried again.
func TestErrorForms(t *testing.T) {
	long := `request (19185 tokens) exceeds the available context size (16384 tokens)`
	short := "; it was a request"
	for stream, status := range map[string]int{
		`{"error":{"code":400,"message":"` + long + `"}}`:                   1,
		"{\n \"error\": {\n  \"message\": \"" + long + "\"}\n}\n":           1,
		data(`{"error":{"code":400,"message":"` + long + `"}}`):             1,
		data(`{"error":"` + long + `"}`):                                    1,
		`error: {"code":400,"message":"` + long + "\"}\n\ndata: [DONE]\n\n": 1,
		data(`{"object":"error","message":"` + long + `","code":400}`):      1,
		data(`{"detail":"` + long + `"}`):                                   1,
		data(`{"detail":[{"loc":["body"],"msg":"` + long + `"}]}`):          1,
		data(`{"choices":null,"base_resp":{"status_code":2013,` +
			`"status_msg":"` + long + `"}}`): 1,
		data(`{"type":"BadRequest","message":"` + long + `"}`):                1,
		"event: error\ndata: {\"code\":500,\"message\":\"" + long + "\"}\n\n": 1,
		"event: error\n" + data(long):                                         1,
		"event: error\n" + data(`"`+long+`"`):                                 1,
		data(`{"success":false,"code":1113,"msg":"` + long + `"}`):            1,
		data(`{"error":{"code":502,"message":"Bad gateway` + short + `"}}`):   75,
		data(`{"error":{"code":401,"message":"no such key` + short + `"}}`):   2,
		data(`{"error":{"code":429,"message":"slow down` + short + `"}}`):     75,
		data(`{"detail":"out of memory` + short + `"}`):                       75,
		data(`{"error":{"code":"400","message":"odd` + short + `"}}`):         2,
		data(`{"errors":[{"message":"the model is down` + short + `"}]}`):     75,
		data(`[{"error":{"code":400,"message":"` + long + `"}}]`):             1,
		`[{"error":{"code":400,"message":"` + long + `"}}]`:                   1,
		data(`{"fault":{"faultstring":"` + long + `"}}`):                      1,
		data(`{"error":503,"reason":"a request"}`):                            75,
		data(`{"error":[{"message":"` + long + `"}]}`):                        1,
		data(`{"status":"failed","reason":"no such request"}`):                75,
		"<html>\n<body>502: bad request</body>\n":                             75,
		"upstream connect error: the request was reset":                       75,
		chunk(`{"content":"The"}`, "null") + data(`{"error":"`+long+`"}`):     1,
		data(`{"error":{"code":400,"message":"Provider returned error","metadata":{"raw":` +
			modeltest.JSON(`{"error":{"message":"`+long+`"}}`) + `}}}`): 1,
	} {
		for _, api := range []string{"openai-chat", "anthropic", "openai"} {
			f := modeltest.NewServer(t, replies(stream))
			f.Use(t)
			o := think(t, "", "--model", api+"/m", "--retries=1", "--max-wait=1ms", "hi")
			want := 1
			if status == 75 {
				want = 2
			}
			if o.status != status || !strings.Contains(o.stderr, "request") || len(f.Requests()) != want {
				t.Errorf("%s %q: %d, %d requests, %s", api, stream, o.status, len(f.Requests()), o.stderr)
			}
		}
	}
}

// TestText: a question is an argument or plain text on standard input, which "-" attaches to one.
func TestText(t *testing.T) {
	f := modeltest.NewServer(t, modeltest.Always(modeltest.Done))
	f.Use(t)
	for _, c := range []struct {
		stdin, want string
		args        []string
	}{
		{" what is it?\n", "what is it?", nil},
		{"not read", "what is it?", []string{"what", "is", "it?"}},
		{"a log\n", "[attached: stdin]", []string{"what is it?", "-"}},
	} {
		o := think(t, c.stdin, append([]string{"--model", "anthropic/m"}, c.args...)...)
		all := f.Requests()
		if body := fmt.Sprint(all[len(all)-1]); o.status != 0 || !strings.Contains(body, c.want) ||
			strings.Contains(body, "not read") {
			t.Errorf("%q %q: %d %s %s", c.stdin, c.args, o.status, o.stderr, body)
		}
	}
}
