package gateway

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"ua/cmd/ua-think/internal/budget"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/provider"
	"ua/cmd/ua-think/internal/settings"
	"ua/cmd/ua-think/internal/transport"
)

func gateway(t testing.TB, api string) *Gateway {
	m, err := provider.Resolve(api+"/m", &settings.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	g := New(m, 1, transport.Limits{})
	g.Allow = []string{"x/*"}
	g.Budget, g.Log = budget.New(budget.Amount{}), NewLog(io.Discard)
	return g
}

// TestHosted: what the provider would do beyond answering is seen in every
// form, and what only looks like it is not.
func TestHosted(t *testing.T) {
	const img = `data:image/png;base64,AAAA`
	for _, c := range []struct {
		api, body string
		refused   bool
	}{
		{"anthropic", `{"messages":[{"role":"user","content":"see https://x.example"}]}`, false},
		{"anthropic", `{"messages":[{"role":"user","content":[{"type":"image","source":{"type":"url",` +
			`"url":"https://x.example/a"}}]}]}`, true},
		{"anthropic", `{"messages":[{"role":"user","content":[{"type":"tool_result",` +
			`"content":[{"type":"document",` +
			`"source":{"type":"url","url":"HTTPS://x.example/a"}}]}]}]}`, true},
		{"anthropic", `{"messages":[{"role":"assistant","content":[{"type":"tool_use",` +
			`"input":{"url":"https://x.example","type":"url"}}]}]}`, false},
		{"anthropic", `{"tools":[{"name":"get",` +
			`"input_schema":{"properties":{"url":{"type":"string"}}}},{"type":"custom","name":"x"},` +
			`{"type":"bash_20250124","name":"bash"}]}`, false},
		{"anthropic", `{"tools":[{"type":"web_fetch_20250910","name":"web_fetch"}]}`, true},
		{"anthropic", `{"tools":[{"type":"code_execution_20250825","name":"x"}]}`, true},
		{"anthropic", `{"container":{"skills":[]}}`, true},
		{"anthropic", `{"container":null}`, false},
		{"openai", `{"tools":[{"type":"function","name":"x","parameters":{}}]}`, false},
		{"openai", `{"tools":[{"type":"web_search"}]}`, true},
		{"openai", `{"tools":[{"type":"mcp","server_url":"https://x.example"}]}`, true},
		{"openai", `{"input":[{"role":"user","content":[{"type":"input_image",` +
			`"image_url":"https://x.example/?s"}]}]}`, true},
		{"openai", `{"input":[{"role":"user","content":[{"type":"input_file",` +
			`"file_url":"https://x.example/?s"}]}]}`, true},
		{"openai", `{"input":[{"role":"user","content":[{"type":"input_image","image_url":"` + img +
			`"}]}]}`, false},
		{"openai", `{"background":true}`, true},
		{"openai", `{"background":false}`, false},
		{"openai", `{"previous_response_id":"resp_1"}`, true},
		{"openai-chat", `{"messages":[{"role":"user","content":[{"type":"image_url",` +
			`"image_url":{"url":"https://x.example"}}]}]}`, true},
		{"openai-chat", `{"messages":[{"role":"user","content":[{"type":"image_url",` +
			`"image_url":{"url":"` + img + `"}}]}]}`, false},
		{"openai-chat", `{"web_search_options":{}}`, true},
		// Tools and searches of servers that speak this API.
		{"openai-chat", `{"tools":[{"type":"openrouter:web_fetch"}]}`, true},
		{"openai-chat", `{"tools":[{"type":"builtin_function",` +
			`"function":{"name":"$web_search"}}]}`, true},
		{"openai-chat", `{"tools":[{"type":"browser_search"}]}`, true},
		{"openai-chat", `{"tools":[{"type":"function","function":{"name":"x"}}]}`, false},
		{"openai-chat", `{"plugins":[{"id":"web"}]}`, true},
		{"openai-chat", `{"search_parameters":{"mode":"on"}}`, true},
		{"openai-chat", `{"enable_search":true}`, true},
		{"openai-chat", `{"enable_search":false}`, false},
		{"openai-chat", `{"model":"x/y:online"}`, true},
		// What the provider has stored for anybody who has the key.
		{"openai-chat", `{"messages":[{"role":"user","content":[{"type":"file",` +
			`"file":{"file_id":"file-1"}}]}]}`, true},
		{"openai", `{"input":[{"role":"user","content":[{"type":"input_image","file_id":"f"}]}]}`, true},
		{"openai", `{"input":[{"type":"item_reference","id":"msg_1"}]}`, true},
		{"openai", `{"input":[{"id":"msg_1"}]}`, true},
		{"openai", `{"input":[{"type":"reasoning","id":"rs_1","summary":[]},` +
			`{"role":"user","content":"file_id"}]}`, false},
		{"anthropic", `{"messages":[{"role":"user","content":[{"type":"document",` +
			`"source":{"type":"file","file_id":"file_1"}}]}]}`, true},
		{"anthropic", `{"messages":[{"role":"assistant","content":[{"type":"tool_use",` +
			`"input":{"file_id":"x"}}]}]}`, false},
		{"ollama", `{"messages":[{"role":"user","content":"x","images":["AAAA"]}]}`, false},
	} {
		g := gateway(t, c.api)
		body := []byte(c.body)
		if !bytes.Contains(body, []byte(`"model"`)) {
			body = []byte(`{"model":"m",` + c.body[1:])
		}
		_, refused := g.inspect(g.Model, body)
		if (refused != nil) != c.refused || refused != nil && refused.reason != reasonHosted {
			t.Errorf("%s %s: %v", c.api, c.body, refused)
		}
		if g.Hosted = true; c.refused {
			if _, refused := g.inspect(g.Model, body); refused != nil {
				t.Errorf("allowed: %s %s: %v", c.api, c.body, refused)
			}
		}
	}
}

// TestPromptTokens: media in base64 are not counted as text.
func TestPromptTokens(t *testing.T) {
	data := strings.Repeat("A", 1<<20)
	for body, want := range map[string]int64{
		`{"messages":[{"role":"user","content":"` + strings.Repeat("word", 1000) +
			`"}]}`: 1000,
		`{"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","data":"` +
			data + `"}}]}]}`: 1600,
		`{"messages":[{"role":"user","images":["` + data + `","` + data +
			`"],"content":"x"}]}`: 3200,
		`{"messages":[{"role":"user","content":[{"type":"image_url",` +
			`"image_url":{"url":"data:image/png;base64,` + data + `"}}]}]}`: 1600,
		`{"messages":[{"role":"user","content":[{"type":"text","text":"` + data +
			`"}]}]}`: 1 << 18,
	} {
		var c content
		c.walk(gjson.Parse(body))
		if got := c.tokens(); got < want || got > want+50 {
			t.Errorf("%.60s: %d tokens, want %d", body, got, want)
		}
	}
}

// FuzzInspect: whatever a client sends, it is refused in words or has a bound
// that stands where the provider reads it.
func FuzzInspect(f *testing.F) {
	f.Add(`{"model":"m","max_tokens":5,"messages":[{"role":"user","content":[{"type":"image",` +
		`"source":{"data":"AA"}}]}],"tools":[{"type":"custom"}]}`)
	f.Add(`{"model":"m","options":{"num_predict":3},"stream":false,"images":[1]}`)
	f.Add(`{"model":"m","max_output_tokens":1e99,"thinking":{"budget_tokens":-1}}`)
	f.Add(`{"model":"m","options":[0]}`)
	f.Add(`{"model":"m","max_completion_tokens":5,"max_tokens":100000,"n":1}`)
	f.Add(`{"model":"m","max_tokens":"100000","max_output_tokens":null}`)
	f.Add(strings.Repeat(`{"a":[`, 1500))
	f.Fuzz(func(t *testing.T, body string) {
		for _, api := range provider.Names() {
			g := gateway(t, api)
			q, refused := g.inspect(g.Model, []byte(body))
			if refused != nil {
				continue
			}
			if q.Prompt < 0 || q.Answer < 0 {
				t.Fatalf("%s: %q: %+v", api, body, q)
			}
			b := budget.New(budget.Amount{Tokens: q.Prompt + 1000})
			h, over := b.Reserve(context.Background(), &q.Question)
			if over != nil {
				continue
			}
			sent, refused := q.bounded(h)
			if refused != nil {
				continue
			}
			if !gjson.ValidBytes(sent.body) {
				t.Fatalf("%s: %q becomes %q", api, body, sent.body)
			}
			for _, path := range g.Model.Limits() {
				if v := gjson.GetBytes(sent.body, path); path == q.limit && !v.Exists() || v.Exists() &&
					(v.Int() <= 0 || v.Int() > 1000) {
					t.Fatalf("%s: %s of %q is %s in %q", api, path, body, v.Raw, sent.body)
				}
			}
		}
	})
}
