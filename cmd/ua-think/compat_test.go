package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"ua/internal/test/modeltest"
)

// settle writes settings with a provider "p" at a server, and points the program there.
func settle(t *testing.T, f *modeltest.Server, more string) {
	t.Helper()
	f.Use(t)
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte("[provider.p]\napi_key = \""+modeltest.Secret+"\"\n"+more),
		0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("UA_CONFIG", path)
}

// TestThoughtsBack: thoughts go back in the form in which they came, to who sent them.
func TestThoughtsBack(t *testing.T) {
	call := `"tool_calls":[{"index":0,"id":"a","function":{"name":"shell","arguments":"{\"x\":1}"}}]`
	details := func(list string) string { return chunk(`{"reasoning_details":[`+list+`]}`, "null") }
	unsigned := strings.Join(modeltest.Stream("anthropic", "tool_use",
		modeltest.Say{Kind: "tool", ID: "a", Text: `{"x":1}`}), "")
	thought := modeltest.SSE("content_block_start", `{"type":"content_block_start","index":9,`+
		`"content_block":{"type":"thinking","thinking":"hm"}}`) +
		modeltest.SSE("content_block_stop", `{"type":"content_block_stop","index":9}`)
	unsigned = strings.Replace(unsigned, "event: content_block_start",
		thought+"event: content_block_start", 1)
	for name, c := range map[string]struct{ api, stream, path, want string }{
		"Gemini at OpenRouter": {"openai-chat",
			details(`{"type":"reasoning.text","text":"one ","format":"g","index":0}`) +
				details(`{"type":"reasoning.text","text":"two","signature":null,"index":0}`) +
				details(`{"type":"reasoning.encrypted","data":"U2ln","id":"a","index":1}`) +
				chunk(`{"reasoning":"one two",`+call+`}`, `"tool_calls"`),
			"messages.2.reasoning_details",
			`[{"format":"g","index":0,"text":"one two","type":"reasoning.text"},` +
				`{"data":"U2ln","id":"a","index":1,"type":"reasoning.encrypted"}]`},
		"details behind the call": {"openai-chat", chunk(`{`+call+`}`, `"tool_calls"`) +
			details(`{"type":"reasoning.encrypted","data":"U2ln"}`), "messages.2.reasoning_details",
			`[{"data":"U2ln","type":"reasoning.encrypted"}]`},
		"DeepSeek": {"openai-chat", chunk(`{"reasoning_content":"hm",`+call+`}`, `"tool_calls"`),
			"messages.2.reasoning_content", `"hm"`},
		"tags": {"openai-chat",
			chunk(`{"content":"<think>hm</think>\n\nI look",`+call+`}`, `"tool_calls"`),
			"messages.2.content", `"<think>hm</think>\n\nI look"`},
		"Gemini's seal": {"openai-chat", chunk(`{`+call+`}`, "null") +
			chunk(`{"tool_calls":[{"index":0,"extra_content":{"google":{"thought_signature":"S"}}}]}`,
				`"tool_calls"`), "messages.2.tool_calls.0.extra_content.google.thought_signature", `"S"`},
		"no signature": {"anthropic", unsigned,
			`messages.1.content.#(type=="thinking").thinking`, `"hm"`},
	} {
		f := modeltest.NewServer(t, func(int, string, gjson.Result) modeltest.Reply {
			return modeltest.Reply{Pieces: []string{c.stream}}
		})
		settle(t, f, "api = \""+c.api+"\"\nbase_url = \""+f.URL+"/v1\"\n")
		o := think(t, `{"type":"instruction","text":"go"}`, "--model", "p/m")
		next := []string{`{"type":"instruction","text":"go"}`}
		for _, e := range o.events {
			if next = append(next, e.Raw); e.Get("type").Str == "tool_call" {
				next = append(next, `{"type":"tool_result","call_id":`+e.Get("id").Raw+`,"output":"x"}`)
			}
		}
		dry := func(model string) gjson.Result {
			return gjson.Get(think(t, strings.Join(next, "\n"), "--model", model, "--dry-run").out, "body")
		}
		if got := dry("p/m").Get(c.path).Raw; got != c.want {
			t.Errorf("%s: %s goes back\n%s", name, got, dry("p/m").Raw)
		}
		if got := dry("openai-chat/other"); strings.Contains(got.Raw, "U2ln") ||
			strings.Contains(got.Raw, "reasoning") || strings.Contains(got.Raw, "<think>") {
			t.Errorf("%s: another is sent %s", name, got.Raw)
		}
	}
}

// TestCallIDs: an ID of another provider is sent in letters and lengths that all take, and
// no two become one.
func TestCallIDs(t *testing.T) {
	ids := []string{"functions.shell:0", "functions_shell_0", "functions.shell.0",
		strings.Repeat("x", 64) + "1", strings.Repeat("x", 64) + "2", "é", "plain-ID_1", "abcDEF123"}
	var in []string
	var content []string
	in = append(in, `{"type":"instruction","text":"go"}`)
	for _, id := range ids {
		content = append(content, `{"type":"tool_use","id":`+modeltest.JSON(id)+
			`,"name":"shell","input":{"command":"true"}}`)
	}
	in = append(in, `{"type":"response","model":"kimi/k","stop_reason":"tool_use","content":[`+
		strings.Join(content, ",")+`]}`)
	for _, id := range ids {
		in = append(in, `{"type":"tool_result","call_id":`+modeltest.JSON(id)+`,"output":"x"}`)
	}
	f := modeltest.NewServer(t, modeltest.Always(modeltest.Done))
	settle(t, f, "base_url = \"https://api.mistral.ai/v1\"\n[provider.kimi]\nbase_url = \""+
		f.URL+"/v1\"\n")
	for model, calls := range map[string][2]string{
		"anthropic/m":   {"messages.1.content.#.id", "messages.2.content.#.tool_use_id"},
		"openai/m":      {"input.#.call_id", ""},
		"openai-chat/m": {"messages.2.tool_calls.#.id", "messages.#.tool_call_id"},
		"p/m":           {"messages.2.tool_calls.#.id", "messages.#.tool_call_id"},
		"kimi/k":        {"messages.2.tool_calls.#.id", "messages.#.tool_call_id"},
	} {
		body := gjson.Get(think(t, strings.Join(in, "\n"), "--model", model, "--dry-run").out, "body")
		var sent, answered []string
		json.Unmarshal([]byte(body.Get(calls[0]).Raw), &sent)
		json.Unmarshal([]byte(body.Get(calls[1]).Raw), &answered)
		if model == "openai/m" {
			sent, answered = sent[:len(ids)], sent[len(ids):]
		}
		seen := map[string]bool{}
		for i, id := range sent {
			odd := strings.Trim(strings.ToLower(id), "abcdefghijklmnopqrstuvwxyz0123456789_-")
			if seen[id] || i >= len(answered) || answered[i] != id ||
				model != "kimi/k" && (odd != "" || len(id) > 64) || model == "p/m" && len(id) != 9 ||
				model == "kimi/k" && id != ids[i] {
				t.Errorf("%s: %q for %q, answered by %q", model, id, ids[i], answered)
			}
			seen[id] = true
		}
		if len(sent) != len(ids) {
			t.Errorf("%s: %q", model, sent)
		}
	}
}

// TestRefusedMembers: what a server does not take is left out, or goes under its other name.
func TestRefusedMembers(t *testing.T) {
	refusals := map[string]string{
		"max_tokens": `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with ` +
			`this model. Use 'max_completion_tokens' instead."}}`,
		"stream_options": `{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],` +
			`"msg":"Extra inputs are not permitted"}]}`,
		"max_completion_tokens": `{"error":{"message":"Unrecognized request argument supplied: ` +
			`max_completion_tokens"}}`,
	}
	for _, refused := range [][]string{{"max_tokens"}, {"max_tokens", "stream_options"}, {},
		{"max_tokens", "max_completion_tokens"}} {
		f := modeltest.NewServer(t, func(_ int, api string, body gjson.Result) modeltest.Reply {
			for _, member := range refused {
				if body.Get(member).Exists() {
					return modeltest.Reply{Status: 400, Pieces: []string{refusals[member]}}
				}
			}
			return modeltest.Done(api)
		})
		f.Lax = true
		settle(t, f, "base_url = \""+f.URL+"/v1\"\n")
		o := think(t, "", "--model", "p/m", "--max-tokens", "100", "hi")
		both := len(refused) == 2 && refused[1] == "max_completion_tokens"
		if (o.status == 0) == both || len(f.Requests()) > 3 {
			t.Errorf("%v: %d, %d requests, %s", refused, o.status, len(f.Requests()), o.stderr)
		}
	}
}

// TestBaseQuery: a base URL may have a query, and the path of the requests.
func TestBaseQuery(t *testing.T) {
	for base, want := range map[string]string{
		"https://a.openai.azure.com/openai/deployments/gpt?api-version=2025-01-01": "https://a.openai." +
			"azure.com/openai/deployments/gpt/chat/completions?api-version=2025-01-01",
		"https://a.example/v1/?x=1&y=2":             "https://a.example/v1/chat/completions?x=1&y=2",
		"https://a.example/v1/chat/completions?x=1": "https://a.example/v1/chat/completions?x=1",
		"https://a.example/v1":                      "https://a.example/v1/chat/completions",
		"https://a.example/v1beta/openai/":          "https://a.example/v1beta/openai/chat/completions",
	} {
		f := modeltest.NewServer(t, modeltest.Always(modeltest.Done))
		settle(t, f, "base_url = \""+base+"\"\n")
		o := think(t, "", "--model", "p/m", "--dry-run", "hi")
		if got := gjson.Get(o.out, "url").Str; got != want {
			t.Errorf("%s: %s", base, got)
		}
	}
}

// TestUsagePlaces: servers report usage in several places.
func TestUsagePlaces(t *testing.T) {
	use := `"usage":{"prompt_tokens":1000,"completion_tokens":7,`
	end := chunk(`{"content":"Hi."}`, `"stop"`)
	for name, stream := range map[string]string{
		"choice": strings.Replace(end, `"index":0,`, `"index":0,`+use+`"cached_tokens":600},`, 1),
		"x_groq": strings.Replace(end, `{"choices"`,
			`{"x_groq":{`+use+`"cached_tokens":600}},"choices"`, 1),
		"Moonshot": end + `data: {"choices":[],` + use + `"cached_tokens":600}}` + "\n\n",
		"OpenAI": end +
			data(`{"choices":[],`+use+`"prompt_tokens_details":{"cached_tokens":600}}}`),
		"DeepSeek": strings.Replace(end, `{"choices"`,
			`{`+use+`"prompt_cache_hit_tokens":600},"choices"`, 1),
	} {
		f := modeltest.NewServer(t, replies(stream))
		f.Use(t)
		u := think(t, "", "--model", "openai-chat/m", "hi").one(t, "response").Get("usage")
		if u.Get("input").Int() != 400 || u.Get("cache_read").Int() != 600 ||
			u.Get("output").Int() != 7 {
			t.Errorf("%s: %s", name, u.Raw)
		}
	}
}

// TestFencedJSON: JSON in a fence, or behind thinking, fits a schema, and is what is kept.
func TestFencedJSON(t *testing.T) {
	file := filepath.Join(t.TempDir(), "schema")
	if err := os.WriteFile(file, []byte(`{"type":"object","required":["a"]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for said, fits := range map[string]bool{
		"```json\n{\"a\":1}\n```": true, "```\n{\"a\":1}```\n": true, "\n {\"a\":1}\n": true,
		"<think>\n{maybe}\n</think>\n\n{\"a\":1}": true, "maybe</think>\n{\"a\":1}": true,
		"<think>x</think>```json\n{\"a\":1}\n```": true,
		"```json\n{\"b\":1}\n```":                 false,
		"Here: {\"a\":1}":                         false, "```": false, "{\"a\":": false,
	} {
		f := modeltest.NewServer(t, replies(chunk(`{"content":`+modeltest.JSON(said)+`}`, `"stop"`)))
		f.Use(t)
		o := think(t, "", "--model", "openai-chat/m", "--schema", file, "--text", "hi")
		if fits && (o.status != 0 || strings.TrimSpace(o.out) != `{"a":1}`) || !fits && o.status != 1 {
			t.Errorf("%q: %d %q %s", said, o.status, o.out, o.stderr)
		}
		o = think(t, "", "--model", "openai-chat/m", "--schema", file, "hi")
		if stop := o.one(t, "response").Get("stop_reason").Str; !fits && (stop != "error" ||
			o.one(t, "error").Get("status").Int() != 1) {
			t.Errorf("%q: %s", said, o.out)
		}
	}
}
