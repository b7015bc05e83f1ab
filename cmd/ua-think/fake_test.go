package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// A fake is a model server that speaks the four APIs and is strict about their
// rules: a request that breaks one gets 400 and fails the test.
type fake struct {
	*httptest.Server
	t      testing.TB
	answer func(n int, api string, body gjson.Result) reply // n counts from 0

	mu       sync.Mutex
	requests []string
	heads    []http.Header
	conns    map[string]bool
}

// A reply is a status, headers, and a body in pieces that are flushed one by
// one. At the end the connection is cut if cut is set, or stands still.
type reply struct {
	status int
	header map[string]string
	pieces []string
	cut    bool
	wait   time.Duration // before the headers
	stall  bool          // for ever after the pieces
}

const secret = "sk-ant-test-0123456789"

func newFake(t testing.TB, answer func(n int, api string, body gjson.Result) reply) *fake {
	f := &fake{t: t, answer: answer, conns: map[string]bool{}}
	f.Server = httptest.NewUnstartedServer(f)
	f.Config.ConnState = func(c net.Conn, s http.ConnState) {
		if s == http.StateNew {
			f.mu.Lock()
			f.conns[c.RemoteAddr().String()] = true
			f.mu.Unlock()
		}
	}
	f.Start()
	t.Cleanup(func() {
		f.CloseClientConnections()
		f.Close()
	})
	return f
}

// apiOf is the API that a path belongs to.
func apiOf(path string) string {
	switch path {
	case "/v1/messages":
		return "anthropic"
	case "/v1/responses":
		return "openai"
	case "/v1/chat/completions":
		return "openai-chat"
	case "/api/chat":
		return "ollama"
	}
	return ""
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	api := apiOf(r.URL.Path)
	if strings.HasSuffix(r.URL.Path, "/models") || r.URL.Path == "/api/tags" {
		f.models(w, r)
		return
	}
	raw, _ := io.ReadAll(r.Body)
	f.mu.Lock()
	n := len(f.requests)
	f.requests = append(f.requests, string(raw))
	f.heads = append(f.heads, r.Header)
	f.mu.Unlock()
	if err := strict(api, r, raw); err != nil {
		f.t.Errorf("request %d to %s: %v\n%s", n, r.URL.Path, err, raw)
		http.Error(w, `{"type":"error","error":{"type":"invalid_request_error","message":"`+err.Error()+`"}}`, 400)
		return
	}
	f.reply(w, r, f.answer(n, api, gjson.ParseBytes(raw)))
}

func (f *fake) reply(w http.ResponseWriter, r *http.Request, rep reply) {
	select {
	case <-time.After(rep.wait):
	case <-r.Context().Done():
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for k, v := range rep.header {
		w.Header().Set(k, v)
	}
	if rep.status == 0 {
		rep.status = 200
	}
	if rep.cut && len(rep.pieces) == 0 {
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(rep.status)
	for _, p := range rep.pieces {
		if _, err := io.WriteString(w, p); err != nil {
			return
		}
		w.(http.Flusher).Flush()
	}
	if rep.stall {
		<-r.Context().Done()
	}
	if rep.cut {
		panic(http.ErrAbortHandler)
	}
}

func (f *fake) models(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/api/tags" {
		io.WriteString(w, `{"models":[{"name":"small:1b"},{"name":"big:70b"}]}`)
		return
	}
	io.WriteString(w, `{"data":[{"id":"b-model"},{"id":"a-model"}]}`)
}

// use points every provider at the fake and gives them a key.
func (f *fake) use(t testing.TB) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("UA_CONFIG", "")
	t.Setenv("UA_MODEL", "")
	t.Setenv("ANTHROPIC_API_KEY", secret)
	t.Setenv("OPENAI_API_KEY", secret)
	t.Setenv("ANTHROPIC_AUTH_TOKEN", "")
	t.Setenv("ANTHROPIC_BASE_URL", f.URL)
	t.Setenv("OPENAI_BASE_URL", f.URL+"/v1")
	t.Setenv("OLLAMA_HOST", f.URL)
}

// A result is what one run of ua-think gave.
type result struct {
	events []gjson.Result
	out    string
	stderr string
	status int
}

// think runs ua-think in this process with files for its streams.
func think(t testing.TB, stdin string, args ...string) result {
	t.Helper()
	dir := t.TempDir()
	open := func(name, text string) *os.File {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		file, err := os.OpenFile(filepath.Join(dir, name), os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { file.Close() })
		return file
	}
	env := &prog.Env{Name: "ua-think", Args: args, Stdin: open("in", stdin), Stdout: open("out", ""), Stderr: open("err", "")}
	var o result
	o.status = env.Report(run(env))
	out, _ := os.ReadFile(filepath.Join(dir, "out"))
	stderr, _ := os.ReadFile(filepath.Join(dir, "err"))
	o.out, o.stderr = string(out), string(stderr)
	for _, line := range strings.Split(strings.TrimSpace(o.out), "\n") {
		if event.Valid([]byte(line)) {
			o.events = append(o.events, gjson.Parse(line))
		}
	}
	for _, stream := range []string{o.out, o.stderr} {
		if strings.Contains(stream, secret) {
			t.Errorf("the key stands in %q", stream)
		}
	}
	return o
}

// all is the events of a type.
func (o result) all(typ string) (list []gjson.Result) {
	for _, e := range o.events {
		if e.Get("type").Str == typ {
			list = append(list, e)
		}
	}
	return list
}

// one is the single event of a type.
func (o result) one(t testing.TB, typ string) gjson.Result {
	t.Helper()
	list := o.all(typ)
	if len(list) != 1 {
		t.Fatalf("%d events %q in %s\n%s", len(list), typ, o.out, o.stderr)
	}
	return list[0]
}

// said is the text of all deltas of a kind.
func (o result) said(kind string) (text string) {
	for _, e := range o.all("delta") {
		if e.Get("kind").Str == kind {
			text += e.Get("text").Str
		}
	}
	return text
}

// A say is one block of a fake answer.
type say struct {
	kind  string // text, thinking, redacted or tool
	text  string // what is said, or a call's input
	id    string
	sig   string
	piece int // bytes a delta, 0 for all at once
}

func js(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// cutUp is text in pieces of n bytes, whole runes each.
func cutUp(text string, n int) (pieces []string) {
	if n <= 0 {
		return []string{text}
	}
	from := 0
	for i := range text {
		if i-from >= n {
			pieces = append(pieces, text[from:i])
			from = i
		}
	}
	return append(pieces, text[from:])
}

// stream is an answer as the events of an API.
func stream(api, stop string, says ...say) []string {
	switch api {
	case "anthropic":
		return anthropicEvents(stop, says)
	case "openai":
		return responsesEvents(stop, says)
	case "ollama":
		return ollamaEvents(stop, says)
	}
	return chatEvents(stop, says)
}

func sseEvent(name, data string) string { return "event: " + name + "\ndata: " + data + "\n\n" }

func anthropicEvents(stop string, says []say) (ev []string) {
	add := func(name, format string, a ...any) {
		ev = append(ev, sseEvent(name, fmt.Sprintf(`{"type":%q,`+format+`}`, append([]any{name}, a...)...)))
	}
	add("message_start", `"message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-fake","content":[],"stop_reason":null,"usage":{"input_tokens":7,"cache_read_input_tokens":20,"cache_creation_input_tokens":3,"output_tokens":1}}`)
	for i, s := range says {
		switch s.kind {
		case "text":
			add("content_block_start", `"index":%d,"content_block":{"type":"text","text":""}`, i)
			ev = append(ev, sseEvent("ping", `{"type":"ping"}`))
			for _, p := range cutUp(s.text, s.piece) {
				add("content_block_delta", `"index":%d,"delta":{"type":"text_delta","text":%s}`, i, js(p))
			}
		case "thinking":
			add("content_block_start", `"index":%d,"content_block":{"type":"thinking","thinking":"","signature":""}`, i)
			for _, p := range cutUp(s.text, s.piece) {
				add("content_block_delta", `"index":%d,"delta":{"type":"thinking_delta","thinking":%s}`, i, js(p))
			}
			add("content_block_delta", `"index":%d,"delta":{"type":"signature_delta","signature":%s}`, i, js(s.sig))
		case "redacted":
			add("content_block_start", `"index":%d,"content_block":{"type":"redacted_thinking","data":%s}`, i, js(s.text))
		case "tool":
			add("content_block_start", `"index":%d,"content_block":{"type":"tool_use","id":%s,"name":"shell","input":{}}`, i, js(s.id))
			for _, p := range cutUp(s.text, s.piece) {
				add("content_block_delta", `"index":%d,"delta":{"type":"input_json_delta","partial_json":%s}`, i, js(p))
			}
		}
		add("content_block_stop", `"index":%d`, i)
	}
	add("message_delta", `"delta":{"stop_reason":%q,"stop_sequence":null},"usage":{"output_tokens":42}`, stop)
	return append(ev, sseEvent("message_stop", `{"type":"message_stop"}`))
}

func chatEvents(stop string, says []say) (ev []string) {
	why := map[string]string{"end_turn": "stop", "tool_use": "tool_calls", "max_tokens": "length", "refusal": "content_filter"}[stop]
	add := func(delta, finish string) {
		ev = append(ev, `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"fake","choices":[{"index":0,"delta":`+delta+`,"finish_reason":`+finish+`}]}`+"\n\n")
	}
	add(`{"role":"assistant","content":""}`, "null")
	calls := 0
	for _, s := range says {
		switch s.kind {
		case "text":
			for _, p := range cutUp(s.text, s.piece) {
				add(`{"content":`+js(p)+`}`, "null")
			}
		case "thinking":
			for _, p := range cutUp(s.text, s.piece) {
				add(`{"reasoning_content":`+js(p)+`}`, "null")
			}
		case "tool":
			add(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":%s,"type":"function","function":{"name":"shell","arguments":""}}]}`, calls, js(s.id)), "null")
			for _, p := range cutUp(s.text, s.piece) {
				add(fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":%s}}]}`, calls, js(p)), "null")
			}
			calls++
		}
	}
	add(`{}`, js(why))
	ev = append(ev, `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"fake","choices":[],"usage":{"prompt_tokens":30,"completion_tokens":42,"total_tokens":72,"prompt_tokens_details":{"cached_tokens":20},"completion_tokens_details":{"reasoning_tokens":5}}}`+"\n\n")
	return append(ev, "data: [DONE]\n\n")
}

func responsesEvents(stop string, says []say) (ev []string) {
	add := func(typ, format string, a ...any) {
		ev = append(ev, sseEvent(typ, fmt.Sprintf(`{"type":%q,"sequence_number":%d,`+format+`}`, append([]any{typ, len(ev)}, a...)...)))
	}
	add("response.created", `"response":{"id":"resp_1","object":"response","model":"gpt-fake","status":"in_progress","output":[]}`)
	for i, s := range says {
		switch s.kind {
		case "text":
			add("response.output_item.added", `"output_index":%d,"item":{"id":"msg_%d","type":"message","role":"assistant","content":[],"status":"in_progress"}`, i, i)
			for _, p := range cutUp(s.text, s.piece) {
				add("response.output_text.delta", `"output_index":%d,"content_index":0,"item_id":"msg_%d","delta":%s`, i, i, js(p))
			}
			add("response.output_item.done", `"output_index":%d,"item":{"id":"msg_%d","type":"message","role":"assistant","phase":"commentary","status":"completed","content":[{"type":"output_text","text":%s,"annotations":[]}]}`, i, i, js(s.text))
		case "thinking":
			add("response.output_item.added", `"output_index":%d,"item":{"id":"rs_%d","type":"reasoning","summary":[]}`, i, i)
			add("response.reasoning_summary_text.delta", `"output_index":%d,"summary_index":0,"item_id":"rs_%d","delta":%s`, i, i, js(s.text))
			add("response.output_item.done", `"output_index":%d,"item":{"id":"rs_%d","type":"reasoning","summary":[{"type":"summary_text","text":%s}],"encrypted_content":%s}`, i, i, js(s.text), js(s.sig))
		case "tool":
			add("response.output_item.added", `"output_index":%d,"item":{"id":"fc_%d","type":"function_call","call_id":%s,"name":"shell","arguments":"","status":"in_progress"}`, i, i, js(s.id))
			for _, p := range cutUp(s.text, s.piece) {
				add("response.function_call_arguments.delta", `"output_index":%d,"item_id":"fc_%d","delta":%s`, i, i, js(p))
			}
			add("response.output_item.done", `"output_index":%d,"item":{"id":"fc_%d","type":"function_call","call_id":%s,"name":"shell","arguments":%s,"status":"completed"}`, i, i, js(s.id), js(s.text))
		}
	}
	usage := `"usage":{"input_tokens":30,"input_tokens_details":{"cached_tokens":20,"cache_write_tokens":3},"output_tokens":42,"output_tokens_details":{"reasoning_tokens":5},"total_tokens":72}`
	switch stop {
	case "max_tokens":
		add("response.incomplete", `"response":{"id":"resp_1","object":"response","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},%s}`, usage)
	case "refusal":
		add("response.incomplete", `"response":{"id":"resp_1","object":"response","status":"incomplete","incomplete_details":{"reason":"content_filter"},%s}`, usage)
	default:
		add("response.completed", `"response":{"id":"resp_1","object":"response","status":"completed",%s}`, usage)
	}
	return ev
}

func ollamaEvents(stop string, says []say) (ev []string) {
	add := func(msg, rest string) {
		ev = append(ev, `{"model":"fake","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant",`+msg+`}`+rest+"}\n")
	}
	for _, s := range says {
		switch s.kind {
		case "text":
			for _, p := range cutUp(s.text, s.piece) {
				add(`"content":`+js(p), `,"done":false`)
			}
		case "thinking":
			add(`"content":"","thinking":`+js(s.text), `,"done":false`)
		case "tool":
			add(`"content":"","tool_calls":[{"function":{"name":"shell","arguments":`+s.text+`}}]`, `,"done":false`)
		}
	}
	why := map[string]string{"max_tokens": "length"}[stop]
	if why == "" {
		why = "stop"
	}
	add(`"content":""`, `,"done":true,"done_reason":`+js(why)+`,"prompt_eval_count":30,"eval_count":42`)
	return ev
}
