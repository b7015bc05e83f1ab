package httpgateway

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/eventgateway"
	"ua/cmd/ua-think/internal/provider"
	"ua/cmd/ua-think/internal/settings"
	"ua/cmd/ua-think/internal/sharedbudget"
	"ua/cmd/ua-think/internal/transport"
	"ua/internal/common/spending"
)

// ownKey is the key that no client may see.
const ownKey = "own-key-of-the-user"

// start serves a model of an API, asked of that provider, on a socket.
func start(t *testing.T, api string, of spending.Sum, atOnce int,
	ask http.HandlerFunc) (socket string) {
	server := httptest.NewServer(ask)
	t.Setenv("ANTHROPIC_BASE_URL", server.URL)
	t.Setenv("OPENAI_BASE_URL", server.URL)
	m, err := provider.Resolve(api+"/m", &settings.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	m.Key = ownKey
	b := sharedbudget.New(of)
	b.AtOnce = atOnce
	s := &eventgateway.Service{Config: &settings.Settings{}, Model: m, Budget: b, Token: "secret",
		Log: eventgateway.NewLog(io.Discard)}
	s.Options.Answer = answer.Limits{Event: 1 << 20, Text: 1 << 20}
	socket = filepath.Join(t.TempDir(), "s")
	l, err := eventgateway.ListenUnix(socket)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	Serve(ctx, s, l, transport.Limits{Connect: time.Minute, Total: time.Minute, Idle: time.Minute,
		First: time.Minute})
	ended := make(chan struct{})
	go func() { s.Serve(ctx, l); close(ended) }()
	t.Cleanup(func() { cancel(); <-ended; server.Close() })
	return socket
}

// post asks on a socket, with headers as "Name: value".
func post(t *testing.T, socket, path, body string, headers ...string) *http.Response {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{
		DialContext: func(context.Context, string, string) (net.Conn, error) {
			return net.Dial("unix", socket)
		}}}
	r, _ := http.NewRequest("POST", "http://x"+path, strings.NewReader(body))
	r.Header.Set("X-Api-Key", "secret")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header[name] = []string{value}
	}
	resp, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// TestPasses: of a request those members pass that the gateway knows, in the client's own
// words, and no others; what it leaves out its answer names.
func TestPasses(t *testing.T) {
	const img = "data:image/png;base64,AAAA"
	for api, requests := range map[string][][3]string{ // body, what the provider gets, left out
		"anthropic": {
			{`{"model":"m"}`, `{"model":"m"}`, ""},
			{`{"model":"m","max_tokens":5,"stream":false}`, `{"model":"m","stream":false,"max_tokens":5}`,
				""},
			{`{"model":"m","mod\u0065l":"dear"}`, `{"model":"m"}`, ""},
			{`{"model":"m","Model":"dear","MAX_TOKENS":9}`, `{"model":"m"}`, "MAX_TOKENS Model"},
			{`{"model":"m","max_token` + "\u017f" + `":9}`, `{"model":"m"}`, ""},
			{`{"model":"m","top_p":1,"top_p":2,"speed":"fast"}`, `{"model":"m","top_p":1}`, "speed top_p"},
			{`{"model":"m","service_tier":"priority","fallbacks":["x"],"inference_geo":"us",` +
				`"mcp_servers":[{"url":"https://x"}],"container":"c","yet_unknown":{"a":1}}`,
				`{"model":"m"}`, ""},
			{`{"model":"m","max_tokens":"9"}`, `{"model":"m","max_tokens":9}`, ""},
			{`{"model":"m","max_tokens":[9],"max_tokens":1e99}`, `{"model":"m"}`, ""},
			{`{"model":"m","system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral",` +
				`"ttl":"1h"}}]}`,
				`{"model":"m","system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}]}`,
				"ttl"},
			{`{"model":"m","tools":[{"name":"a","input_schema":{"url":"http://x"}},` +
				`{"type":"web_search_20260101","name":"w"},{"type":"bash_20250124","name":"bash"}]}`,
				`{"model":"m","tools":[{"name":"a","input_schema":{"url":"http://x"}},` +
					`{"type":"bash_20250124","name":"bash"}]}`, "web_search_20260101"},
			{`{"model":"m","messages":[{"role":"assistant","content":[{"type":"tool_use","id":"t",` +
				`"name":"n","input":{"file_id":"x", "url":"http://x"}}]},{"role":"user","content":[` +
				`{"type":"tool_result","tool_use_id":"t","content":[{"type":"document","source":` +
				`{"type":"url","url":"HTTPS://x"}}]}]}]}`,
				`{"model":"m","messages":[{"role":"assistant","content":[{"type":"tool_use","id":"t",` +
					`"name":"n","input":{"file_id":"x", "url":"http://x"}}]},{"role":"user","content":[` +
					`{"type":"tool_result","tool_use_id":"t","content":[{"type":"document","source":` +
					`{"type":"url"}}]}]}]}`, "url"},
			{`{"model":"m","messages":[{"role":"user","content":[{"type":"image","source":"http://x"}]}]}`,
				`{"model":"m","messages":[{"role":"user","content":[{"type":"image","source":null}]}]}`, ""},
			{`{"model":"m","messages":[{"role":"user","content":[{"type":"document","source":{"type":` +
				`"text","media_type":"text/plain","data":"see: http://x"}},{"file_id":"f"}]}]}`,
				`{"model":"m","messages":[{"role":"user","content":[{"type":"document","source":{"type":` +
					`"text","media_type":"text/plain","data":"see: http://x"}},{}]}]}`, "file_id"},
			{`{"model":"dear"}`, "403 model", ""}, {`{}`, "400 form", ""}, {`[]`, "400 form", ""},
			{`{"model":"m"`, "400 form", ""}, {strings.Repeat("[", 1<<20), "400 form", ""},
		},
		"openai-chat": {
			{`{"model":"m","stream":true,"stream_options":{"include_usage":false},"n":5}`,
				`{"model":"m","stream":true,"stream_options":{"include_usage":true}}`, ""},
			{`{"model":"m","max_tokens":9,"max_completion_tokens":99}`, `{"model":"m","max_tokens":9}`, ""},
			{`{"model":"m","plugins":[{"id":"web"}],"web_search_options":{},"audio":{"id":"a"},` +
				`"models":["dear"],"prediction":{}}`, `{"model":"m"}`, ""},
			{`{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":` +
				`{"url":"` + img + `","detail":"low"}},{"type":"image_url","image_url":"` + img + `"}]}]}`,
				`{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":` +
					`{"url":"` + img + `","detail":"low"}},{"type":"image_url","image_url":"` + img + `"}]}]}`,
				""},
			{`{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":` +
				`{"url":" http://x"}}]}]}`, "403 hosted", ""},
			{`{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":` +
				`"http://x"}]}]}`, "403 hosted", ""},
			{`{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":` +
				`["http://x"]}]}]}`, "403 hosted", ""},
			{`{"model":"m","tools":[{"type":"function","function":{"name":"f","x":1}},{"type":"mcp"}]}`,
				`{"model":"m","tools":[{"type":"function","function":{"name":"f"}}]}`, "mcp x"},
		},
		"openai": {
			{`{"model":"m","input":"hi","background":true,"previous_response_id":"r","prompt":{},` +
				`"conversation":"c","service_tier":"priority","max_output_tokens":7}`,
				`{"model":"m","input":"hi","max_output_tokens":7}`, ""},
			{`{"model":"m","input":[{"type":"item_reference","id":"msg_1"},{"id":"msg_2"}]}`,
				`{"model":"m","input":[{"type":"item_reference"},{}]}`, "id"},
			{`{"model":"m","input":[{"role":"user","content":[{"type":"input_file",` +
				`"file_url":"http://x"},` +
				`{"type":"input_image","file_id":"f"}]}]}`,
				`{"model":"m","input":[{"role":"user","content":[{"type":"input_file"},` +
					`{"type":"input_image"}]}]}`, "file_id file_url"},
			{`{"model":"m","tools":[{"type":"web_search"},{"type":"local_shell"}]}`,
				`{"model":"m","tools":[{"type":"local_shell"}]}`, "web_search"},
		},
	} {
		got := ""
		socket := start(t, api, spending.Sum{}, 9, func(w http.ResponseWriter, r *http.Request) {
			text, _ := io.ReadAll(r.Body)
			got = string(text)
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{}`)
		})
		for _, a := range apis() {
			if a.name != api {
				continue
			}
			for _, c := range requests {
				got = ""
				resp := post(t, socket, a.path, c[0])
				if reason := resp.Header.Get("Ua-Refused"); reason != "" {
					text, _ := io.ReadAll(resp.Body)
					if got != "" || !json.Valid(text) {
						t.Errorf("%s: %s is refused, and asked", api, c[0])
					}
					got = resp.Status[:3] + " " + reason
				}
				if got != c[1] {
					t.Errorf("%s: %.200s\npasses %s\nnot    %s", api, c[0], got, c[1])
				}
				if left := resp.Header.Get("Ua-Left-Out"); c[2] != "" && left != c[2] {
					t.Errorf("%s: %.200s: left out is %q, not %q", api, c[0], left, c[2])
				} else if left == "" && resp.Header.Values("Ua-Left-Out") != nil {
					t.Errorf("%s: %.200s: nothing is left out, and a header says so", api, c[0])
				}
			}
		}
	}
}

// TestHeaders: no header of a client's goes to the provider, and of the provider's a client
// gets what it needs, but never the key, also when an error says it.
func TestHeaders(t *testing.T) {
	var got http.Header
	socket := start(t, "anthropic", spending.Sum{}, 9, func(w http.ResponseWriter, r *http.Request) {
		got = r.Header
		for _, name := range []string{"Content-Type", "Request-Id", "Retry-After", "Set-Cookie",
			"Anthropic-Organization-Id", "Server", "X-Ratelimit-Remaining-Tokens"} {
			w.Header().Set(name, "v")
		}
		w.WriteHeader(400)
		io.WriteString(w, "bad key "+ownKey)
	})
	resp := post(t, socket, "/v1/messages", `{"model":"m"}`, "Cookie: c", "Anthropic-Beta: b",
		"Anthropic-Version: v", "User-Agent: u", "X-Forwarded-For: 10.0.0.1")
	if text, _ := io.ReadAll(resp.Body); string(text) != "bad key [key]" || resp.StatusCode != 400 {
		t.Errorf("%s %q", resp.Status, text)
	}
	for name := range resp.Header {
		switch name {
		case "Content-Type", "Request-Id", "Retry-After", "Date", "Content-Length", "Connection",
			"Ua-Left-Out":
		default:
			t.Errorf("%s comes back", name)
		}
	}
	if got.Get("X-Api-Key") != ownKey || got.Get("Anthropic-Version") == "v" ||
		!strings.HasPrefix(got.Get("User-Agent"), "ua-think/") {
		t.Errorf("%v", got)
	}
	for _, name := range []string{"Cookie", "Anthropic-Beta", "X-Forwarded-For", "Authorization"} {
		if got.Get(name) != "" {
			t.Errorf("%s goes to the provider", name)
		}
	}
}

// TestKnown: the token stands where the providers' clients put a key, and a bearer that is
// wrong is not mended by another header.
func TestKnown(t *testing.T) {
	socket := start(t, "anthropic", spending.Sum{}, 9, func(http.ResponseWriter, *http.Request) {})
	for header, status := range map[string]int{
		"X-Api-Key: secret": 404, "Authorization: Bearer secret": 404,
		"X-Api-Key: ": 401, "X-Api-Key: secre": 401, "Authorization: Bearer other": 401,
	} {
		if resp := post(t, socket, "/v1/files", "{}", header); resp.StatusCode != status {
			t.Errorf("%q: %s", header, resp.Status)
		}
	}
}

// TestPromptTokens: media in base64 are not counted as text.
func TestPromptTokens(t *testing.T) {
	media := strings.Repeat("A", 1<<20)
	for body, want := range map[string]int64{
		`{"messages":[{"content":"` + strings.Repeat("word", 1000) + `"}]}`:                1000,
		`{"messages":[{"content":[{"source":{"type":"base64","data":"` + media + `"}}]}]}`: 1600,
		`{"messages":[{"content":[{"type":"text","text":"` + media + `"}]}]}`:              1 << 18,
	} {
		if _, f := filtered(body, apis()[0]); f.tokens() < want || f.tokens() > want+50 {
			t.Errorf("%.60s: %d tokens, want %d", body, f.tokens(), want)
		}
	}
}

// filtered returns what of a body passes.
func filtered(body string, a api) (string, *filter) {
	f := &filter{}
	f.value(gjson.Parse(body), a.members)
	return string(f.out), f
}

// FuzzFilter: whatever a client sends, what passes is JSON with members that are known, and
// passes again as it is.
func FuzzFilter(f *testing.F) {
	f.Add(`{"messages":[{"role":"user","content":[{"type":"image","source":{"data":"AA"}}]}],"n":1}`)
	f.Add(`{"stream":false,"tools":[{"type":"x"},1,null,[{}]],"system":[[{"text":1}]]}`)
	f.Add(`{"input":{"content":{"image_url":{"url":["data:,x",{"a":1}]}}},"\u0069nput":1}`)
	f.Add(strings.Repeat(`{"a":[`, 150))
	f.Fuzz(func(t *testing.T, body string) {
		if !json.Valid([]byte(body)) {
			return
		}
		for _, a := range apis() {
			out, _ := filtered(body, a)
			if !json.Valid([]byte(out)) {
				t.Fatalf("%s: %q becomes %q", a.name, body, out)
			}
			gjson.Parse(out).ForEach(func(key, _ gjson.Result) bool {
				if _, known := a.members[key.Str]; key.Exists() && !known && out[0] == '{' {
					t.Fatalf("%s: %q passes", a.name, key.Str)
				}
				return true
			})
			if again, _ := filtered(out, a); again != out {
				t.Fatalf("%s: %q becomes %q, and that %q", a.name, body, out, again)
			}
		}
	})
}
