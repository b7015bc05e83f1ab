package provider

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/conversation"
	"ua/cmd/ua-think/internal/settings"
	"ua/internal/common/event"
	"ua/internal/test/modeltest"
)

// ask is a request of events, as a session makes it.
func ask(lines ...string) *Request {
	return &Request{Talk: converse(lines, false), Thinking: -1}
}

// converse is the conversation of events.
func converse(lines []string, noTools bool) *conversation.Conversation {
	c := conversation.New("", noTools)
	for _, line := range lines {
		c.Add(line)
		c.Now() // must change nothing
	}
	return c.Now()
}

// model is a model of an API by its built-in provider.
func model(t testing.TB, spec string) Model {
	t.Helper()
	m, err := Resolve(spec, &settings.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// encode is the body of a request.
func encode(t testing.TB, m Model, r *Request) []byte {
	t.Helper()
	body, err := m.Encode(r)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// newAnswer is an answer that writes to out.
func newAnswer(out *event.Outbox) *answer.Answer {
	return &answer.Answer{Out: out, Limits: answer.Limits{Event: 16 << 20, Text: 10 << 20},
		IDs: map[string]bool{}}
}

// decode feeds a stream to an API's decoder. It returns what left as events and
// the blocks that a response would hold.
func decode(t testing.TB, api string, r io.Reader) (out, content string, err error) {
	var buf bytes.Buffer
	box := event.NewOutbox(&buf)
	a := newAnswer(box)
	err = model(t, api+"/m").Decode(r, a)
	if cerr := box.Close(0); cerr != nil {
		t.Fatal(cerr)
	}
	return buf.String(), string(a.Content()), err
}

// said is the text and the calls of events, in which pieces don't show.
func said(out string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimSpace(out), "\n") {
		ev := gjson.Parse(line)
		switch ev.Get("type").Str {
		case "delta":
			b.WriteString(ev.Get("text").Str)
		case "tool_call":
			b.WriteString("<" + ev.Get("name").Str + ev.Get("input").Raw + ">")
		case "error":
			b.WriteString("!")
		}
	}
	return b.String()
}

// TestSplitBytes: how the bytes of a stream are split, and how its lines end,
// changes nothing.
func TestSplitBytes(t *testing.T) {
	says := []modeltest.Say{{Kind: "thinking", Text: "hmm é", Sig: "sig-1"},
		{Kind: "text", Text: "Grüße 世界 😀\n\"x\"", Piece: 2}, {Kind: "tool", ID: "t1",
			Text: `{"command":"ls é😀"}`, Piece: 1}, {Kind: "tool", ID: "t2", Text: `{"command":"pwd"}`}}
	for _, api := range modeltest.APIs() {
		text := strings.Join(modeltest.Stream(api, "tool_use", says...), "")
		want, wantContent, err := decode(t, api, strings.NewReader(text))
		if err != nil || !strings.Contains(said(want), `<shell{"command":"ls é😀"}>`) {
			t.Fatalf("%s: %v %s", api, err, want)
		}
		for name, r := range map[string]io.Reader{
			"one byte": iotest.OneByteReader(strings.NewReader(text)),
			"CRLF":     strings.NewReader(strings.ReplaceAll(text, "\n", "\r\n")),
			"CR":       iotest.HalfReader(strings.NewReader(strings.ReplaceAll(text, "\n", "\r"))),
			"BOM":      strings.NewReader("\ufeff" + text),
			"no end":   strings.NewReader(strings.TrimRight(text, "\n")),
			"comments": strings.NewReader(strings.ReplaceAll(text, "data:", ": x\ndata:")),
		} {
			if api == "ollama" && (name == "comments" || name == "BOM") {
				continue
			}
			out, content, err := decode(t, api, r)
			if err != nil || said(out) != said(want) || api != "ollama" && content != wantContent {
				t.Errorf("%s %s: %v\n%s\n%s", api, name, err, said(out), content)
			}
		}
	}
}

// TestEscapes: text that is escaped in odd ways comes out as what it means, in
// events that hold no line separator and no half of a surrogate pair.
func TestEscapes(t *testing.T) {
	for raw, want := range map[string]string{
		`a\u00e9\n\/`: "aé\n/", `\ud83d\ude00`: "😀", `\ud83d`: "\ufffd",
		`\u2028\u2029`: "\u2028\u2029",
		"\u2028":       "\u2028",
		"\x7f":         "\x7f", `\u0000`: "\x00", "\xff": "\ufffd",
		`\\u2028`:   `\u2028`,
		`\\\ud83dx`: "\\\ufffdx",
	} {
		text := `data: {"choices":[{"delta":{"content":"` + raw + `"},"finish_reason":"stop"}]}` + "\n\n"
		out, content, err := decode(t, "openai-chat", strings.NewReader(text))
		if err != nil || said(out) != want || gjson.Get(content, "0.text").Str != want {
			t.Errorf("%q: %v %q %q", raw, err, said(out), content)
		}
		if strings.Contains(out+content, "\u2028") {
			t.Errorf("%q: a separator stands in %q", raw, out)
		}
	}
}

// TestOddCalls: what servers of open models do with calls.
func TestOddCalls(t *testing.T) {
	chunk := func(calls, rest string) string {
		return `data: {"choices":[{"delta":{"tool_calls":[` + calls + `]}` + rest + `}]}` + "\n\n"
	}
	end := `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	for name, c := range map[string]struct{ in, want string }{
		"whole, no index": {chunk(`{"id":"a","function":{"name":"shell","arguments":"{\"x\":1}"}}`,
			"") + chunk(`{"id":"b","function":{"name":"shell","arguments":"{\"x\":2}"}}`, "") + end,
			`<shell{"x":1}><shell{"x":2}>`},
		"no ids": {chunk(`{"index":0,"function":{"name":"shell","arguments":"{\"x\":1}"}}`,
			"") + chunk(`{"index":0,"function":{"name":"shell","arguments":"{\"x\":2}"}}`, "") + end,
			`<shell{"x":1}><shell{"x":2}>`},
		"name again": {chunk(`{"index":0,"id":"a","function":{"name":"shell",`+
			`"arguments":"{\"x\""}}`, "") + chunk(`{"index":0,"id":"a","function":{"name":"shell",`+
			`"arguments":":1}"}}`, "") + end, `<shell{"x":1}>`},
		"arguments object": {chunk(`{"index":0,"id":"a","function":{"name":"shell",`+
			`"arguments":{"x":1}}}`, "") + end, `<shell{"x":1}>`},
		"name again, index moves, no id": {chunk(`{"index":0,"function":{"name":"shell",`+
			`"arguments":""}}`, "") + chunk(`{"index":1,"function":{"name":"shell",`+
			`"arguments":"{\"x"}}`, "") + chunk(`{"index":2,"function":{"name":"shell",`+
			`"arguments":"\": 1}"}}`, "") + end, `<shell{"x": 1}>`},
		"two in a chunk": {chunk(`{"index":0,"id":"a","function":{"name":"shell","arguments":"{}"}},`+
			`{"index":1,"id":"b","function":{"name":"shell","arguments":"{}"}}`, "") + end,
			`<shell{}><shell{}>`},
		"no arguments": {chunk(`{"index":0,"id":"a","function":{"name":"shell"}}`, "") + end,
			`<shell{}>`},
		"null arguments": {chunk(`{"index":0,"id":"a","function":{"name":"shell","arguments":null}}`,
			"") + end, `<shell{}>`},
		"reason in the call": {chunk(`{"index":0,"id":"a","function":{"name":"shell","arguments":"{}"}}`,
			`,"finish_reason":"tool_calls"`), `<shell{}>`},
		"pretty arguments": {chunk(`{"index":0,"id":"a","function":{"name":"shell","arguments":"{\n  `+
			`\"x\": 1\n}\n"}}`, "") + end, `<shell{"x":1}>`},
	} {
		out, content, err := decode(t, "openai-chat", strings.NewReader(c.in))
		if err != nil || said(out) != c.want {
			t.Errorf("%s: %v %s", name, err, out)
		}
		ids := map[string]bool{}
		for _, b := range gjson.Parse(content).Array() {
			if id := b.Get("id").Str; id == "" || ids[id] {
				t.Errorf("%s: ids in %s", name, content)
			} else {
				ids[id] = true
			}
		}
	}
}

// TestCompatible: what some servers add to the API, and want back.
func TestCompatible(t *testing.T) {
	chunk := func(delta, rest string) string {
		return `data: {"choices":[{"delta":` + delta + rest + `}]}` + "\n\n"
	}
	seal := `{"google":{"thought_signature":"c2ln+/="}}`
	for name, c := range map[string]struct{ in, said, back, path string }{
		"Gemini's seal on a call": {
			chunk(`{"tool_calls":[{"id":"c1","function":{"name":"shell","arguments":"{}"},`+
				`"extra_content":`+seal+`}]}`, `,"finish_reason":"tool_calls"`),
			"<shell{}>", seal, "messages.2.tool_calls.0.extra_content"},
		"Mistral's list": {
			chunk(`{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]}`, "") +
				chunk(`{"content":[{"type":"text","text":"so"}]}`, "") +
				chunk(`{"content":" it is"}`, `,"finish_reason":"stop"`),
			"hmso it is", `"so it is"`, "messages.2.content"},
		"DeepSeek's thoughts": {
			chunk(`{"content":null,"reasoning_content":"hm"}`, "") +
				chunk(`{"content":"so","reasoning_content":null}`, `,"finish_reason":"stop"`),
			"hmso", `"hm"`, "messages.2.reasoning_content"},
		"a refusal": {chunk(`{"refusal":"I can't"}`, `,"finish_reason":"stop"`), "I can't", `"I can't"`,
			"messages.2.content"},
	} {
		out, content, err := decode(t, "openai-chat", strings.NewReader(c.in))
		if err != nil || said(out) != c.said {
			t.Errorf("%s: %v %s", name, err, out)
		}
		body := encode(t, model(t, "openai-chat/m"), ask(`{"type":"instruction","text":"x"}`,
			`{"type":"response","model":"openai-chat/m","content":`+content+`}`))
		if got := gjson.GetBytes(body, c.path).Raw; got != c.back {
			t.Errorf("%s: %s goes back, want %s\n%s", name, got, c.back,
				gjson.GetBytes(body, "messages").Raw)
		}
	}
}

// TestOddBlocks: what the Messages API may add one day is passed over; what
// does not fit its block is an error and harms nothing.
func TestOddBlocks(t *testing.T) {
	start := func(i int, block string) string {
		return modeltest.SSE("content_block_start",
			fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":%s}`, i, block))
	}
	delta := func(i int, d string) string {
		return modeltest.SSE("content_block_delta",
			fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":%s}`, i, d))
	}
	stop := modeltest.SSE("message_delta",
		`{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`)
	text := start(0, `{"type":"text","text":"a"}`)
	for name, c := range map[string]struct{ in, content, err string }{
		"a new block": {text + start(1, `{"type":"new","x":1}`) +
			delta(1, `{"type":"input_json_delta","partial_json":"{"}`) +
			delta(1, `{"type":"text_delta","text":"b"}`) + stop, `[{"type":"text","text":"a"}]`, ""},
		"a new delta": {text + delta(0, `{"type":"citations_delta","citation":{}}`) +
			delta(7, `{"type":"new"}`) + stop, `[{"type":"text","text":"a"}]`, ""},
		"a new event": {text + modeltest.SSE("new", `{"type":"new"}`) + stop,
			`[{"type":"text","text":"a"}]`, ""},
		"input into text": {text + delta(0, `{"type":"input_json_delta","partial_json":"\"}"}`) +
			stop, `[{"type":"text","text":"a"}]`, "never started"},
		"no block": {delta(3, `{"type":"text_delta","text":"b"}`) + stop, `[]`,
			"never started"},
		"data over two lines": {"data: {\ndata: \"type\":\"content_block_start\",\"index\":0,\ndata: " +
			"\"content_block\":{\"type\":\"redacted_thinking\",\ndata: \"data\":\"red-1\"}}\n\n" +
			modeltest.SSE("x", `{"type":"content_block_stop","index":0}`) + stop,
			`[{"type":"redacted_thinking","data":"red-1"}]`, ""},
	} {
		_, content, err := decode(t, "anthropic", strings.NewReader(c.in))
		if content != c.content || (err == nil) != (c.err == "") || err != nil &&
			!strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v %s", name, err, content)
		}
	}
}

// fuzzDecoder holds a decoder to this: what leaves is whole events, what a
// response would hold is JSON, and how the bytes are split changes neither.
func fuzzDecoder(f *testing.F, api string) {
	f.Add([]byte(strings.Join(modeltest.Stream(api, "tool_use",
		modeltest.Say{Kind: "thinking", Text: "hm", Sig: "sig-1"},
		modeltest.Say{Kind: "text", Text: "a\u2028é", Piece: 1},
		modeltest.Say{Kind: "tool", ID: "t1", Text: `{"command":"ls"}`, Piece: 4}), "")))
	f.Add([]byte("data: [DONE]\n\n"))
	f.Add([]byte("data: {}\n\n0"))
	f.Add([]byte("data: {\"error\":\"x\"}\n\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		out, content, err := decode(t, api, bytes.NewReader(in))
		for line := range strings.SplitSeq(strings.TrimSpace(out), "\n") {
			if line != "" && !event.Valid([]byte(line)) {
				t.Fatalf("no event: %q", line)
			}
		}
		if !gjson.Valid(content) || strings.ContainsAny(content, "\r\n") {
			t.Fatalf("content %q", content)
		}
		out2, _, err2 := decode(t, api, iotest.OneByteReader(bytes.NewReader(in)))
		if said(out) != said(out2) || fmt.Sprint(err) != fmt.Sprint(err2) {
			t.Fatalf("%q %v, split %q %v", said(out), err, said(out2), err2)
		}
	})
}

func FuzzAnthropic(f *testing.F) { fuzzDecoder(f, "anthropic") }
func FuzzResponses(f *testing.F) { fuzzDecoder(f, "openai") }
func FuzzChat(f *testing.F)      { fuzzDecoder(f, "openai-chat") }
func FuzzOllama(f *testing.F)    { fuzzDecoder(f, "ollama") }

// TestSummaryParts: the parts of a summary of thoughts stand on lines of their own.
func TestSummaryParts(t *testing.T) {
	var body strings.Builder
	for _, d := range []string{
		`0,"summary_index":0,"delta":"one"`, `0,"summary_index":0,"delta":" more"`,
		`0,"summary_index":1,"delta":"two"`, `1,"summary_index":0,"delta":"three"`,
	} {
		body.WriteString(modeltest.SSE("x",
			`{"type":"response.reasoning_summary_text.delta","output_index":`+d+`}`))
	}
	body.WriteString(modeltest.SSE("x",
		`{"type":"response.completed","response":{"status":"completed"}}`))
	out, _, err := decode(t, "openai", strings.NewReader(body.String()))
	if got := said(out); err != nil || got != "one more\ntwo\nthree" {
		t.Errorf("%q %v", got, err)
	}
}

// TestOddResponses: what servers leave out of the Responses API.
func TestOddResponses(t *testing.T) {
	ev := func(typ, rest string) string {
		return modeltest.SSE("response."+typ, `{"type":"response.`+typ+`",`+rest+`}`)
	}
	item := func(n, args string) string {
		return `"item":{"type":"function_call","id":"i` + n + `","call_id":"c` + n +
			`","name":"shell","arguments":` + modeltest.JSON(args) + `}`
	}
	one, two := `{"x":1}`, `{"x":2}`
	end := func(items ...string) string {
		for i := range items {
			items[i] = strings.TrimPrefix(items[i], `"item":`)
		}
		return ev("completed", `"response":{"status":"completed","output":[`+
			strings.Join(items, ",")+`]}`)
	}
	text := `"item":{"type":"message","id":"m","content":[{"type":"output_text","text":"Hi"}]}`
	added := ev("output_item.added", item("1", "")) + ev("output_item.added", item("2", ""))
	args := "function_call_arguments.delta"
	for name, c := range map[string]struct{ in, want string }{
		"at the end alone": {end(text, item("1", one), item("2", two)),
			`Hi<shell{"x":1}><shell{"x":2}>`},
		"done items alone": {ev("output_item.done", item("1", one)) + end(), `<shell{"x":1}>`},
		"text done alone":  {ev("output_text.done", `"output_index":0,"text":"Hi"`) + end(), "Hi"},
		"text, no marks":   {ev("output_text.delta", `"delta":"H"`) + end(text), "Hi"},
		"text again":       {ev("output_text.delta", `"item_id":"m","delta":"Hi"`) + end(text), "Hi"},
		"announced twice": {added + ev("output_item.added", item("1", "")) +
			end(item("1", one), item("2", two)), `<shell{"x":1}><shell{"x":2}>`},
		"arguments at done": {ev("output_item.added", item("1", "")) +
			ev("function_call_arguments.done", `"item_id":"i1","arguments":"{\"x\":1}"`) +
			end(), `<shell{"x":1}>`},
		"no marks": {ev("output_item.added", item("1", "")) +
			ev(args, `"delta":"{\"x"`) + ev(args, `"delta":"\":1}"`) + end(), `<shell{"x":1}>`},
		"mixed, by ID": {added + ev(args, `"item_id":"i2","delta":"{\"x"`) +
			ev(args, `"item_id":"i1","delta":"{\"x\":1}"`) +
			ev(args, `"item_id":"i2","delta":"\":2}"`) + end(), `<shell{"x":1}><shell{"x":2}>`},
	} {
		out, _, err := decode(t, "openai", strings.NewReader(c.in))
		if err != nil || said(out) != c.want {
			t.Errorf("%s: %v %s", name, err, out)
		}
	}
}
