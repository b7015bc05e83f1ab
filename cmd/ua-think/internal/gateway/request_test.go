package gateway

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"ua/cmd/ua-think/internal/budget"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/failure"
	"ua/cmd/ua-think/internal/provider"
	"ua/cmd/ua-think/internal/settings"
	"ua/cmd/ua-think/internal/usage"
)

// TestAmbiguous: a request in which what was looked at need not be what a server takes is
// refused: a member twice, in capitals, with an escape, or in letters that readers which know
// no capitals take for others (encoding/json folds the long s to s, the Kelvin sign to k).
func TestAmbiguous(t *testing.T) {
	for body, bad := range map[string]bool{
		`{"model":"m","max_tokens":1}`:                                false,
		`{"model":"m","metadata":{"User":1,"user":2}}`:                false, // nothing is read there
		`{"model":"m","messages":[{"role":"user","Role":"user"}]}`:    false,
		`{"model":"m","max_tokens":1,"max_tokens":2}`:                 true,
		`{"model":"m","max_tokens":1,"max_tok\u0065ns":2}`:            true,
		`{"model":"m","Max_Tokens":2}`:                                true,
		`{"model":"m","max_to` + "\u212a" + `ens":2}`:                 true,
		`{"model":"m","max_token` + "\u017f" + `":2}`:                 true,
		`{"model":"m","max_tokens":1,"max_token\u017f":99999}`:        true,
		`{"model":"m","option` + "\u017f" + `":{"num_predict":9999}}`: true,
		`{"model":"m","options":{"num_predict":1,"num_predict":2}}`:   true,
		`{"model":"m","options":{"NUM_PREDICT":2}}`:                   true,
		`{"model":"m","options":{"\u017feed":2}}`:                     true,
		`{"model":"m","thinking":{"budget_tokens":1,"Type":"x"}}`:     true,
		`{"model":"m","stream_options":{"a":1,"a":1}}`:                true,
		`{"model":"m","options":{},"options":{"num_predict":1}}`:      true,
		`{"model":"m","":1,"":2}`:                                     true,
		`{"model":"m","max_tokens ":1}`:                               false,
	} {
		for _, api := range provider.Names() {
			g := gateway(t, api)
			_, refused := g.inspect(g.Model, []byte(body))
			if (refused != nil) != bad || refused != nil && refused.reason != reasonForm {
				t.Errorf("%s: %s: %v", api, body, refused)
			}
		}
	}
}

// TestDearer: what costs more than its tokens say is refused.
func TestDearer(t *testing.T) {
	for member, bad := range map[string]string{
		`"n":1`: "", `"n":null`: "", `"n":1.0`: "",
		`"n":2`: "n", `"n":0`: "n", `"n":"2"`: "n", `"n":[1]`: "n",
		`"best_of":1`: "", `"best_of":5`: "best_of", `"speed":"fast"`: "speed", `"speed":null`: "speed",
		`"service_tier":"auto"`: "", `"service_tier":"flex"`: "", `"service_tier":null`: "",
		`"service_tier":"priority"`: "service_tier", `"service_tier":1`: "service_tier",
		`"service_tier":"Auto"`: "service_tier", `"service_tier":{"a":1}`: "service_tier",
		`"x":{"n":5,"speed":1}`: "",
		`"models":["dear"]`:     "models", `"models":null`: "", `"fallbacks":[{"x":1}]`: "fallbacks",
		`"inference_geo":"us"`: "inference_geo", `"inference_geo":"global"`: "",
	} {
		g := gateway(t, "openai-chat")
		_, refused := g.inspect(g.Model, []byte(`{"model":"m",`+member+`}`))
		if (refused != nil) != (bad != "") ||
			refused != nil && !strings.Contains(refused.msg, " "+bad+":") {
			t.Errorf("%s: %v", member, refused)
		}
	}
}

// TestAllows: --allow names models by patterns.
func TestAllows(t *testing.T) {
	for _, c := range []struct {
		allow, names, others string
	}{
		{"", "m", "anything a/b"},
		{"claude-*", "claude-x claude-", "claude claude-a/b xclaude-a Claude-a"},
		{"a b", "a b", "c ab"},
		{"org/*", "org/m", "org org/m/n"},
		{"m[", "m[ m", "["}, // no pattern: the name itself
		{"*", "m", "org/m"},
	} {
		g := gateway(t, "openai-chat")
		g.Allow = strings.Fields(c.allow)
		for _, name := range strings.Fields(c.names) {
			if !g.allows(name) {
				t.Errorf("%q: %s is refused", c.allow, name)
			}
		}
		for _, name := range strings.Fields(c.others) {
			if g.allows(name) {
				t.Errorf("%q: %s is allowed", c.allow, name)
			}
		}
	}
}

// TestBounded: the bound of an answer stands wherever a provider reads one, and a stream of
// this API is counted, whatever the client wrote in these places; otherwise it is refused.
func TestBounded(t *testing.T) {
	for _, body := range []string{
		`{"model":"m"}`, `{"model":"m","stream":true}`,
		`{"model":"m","stream":true,"stream_options":{}}`,
		`{"model":"m","stream":true,"stream_options":null}`,
		`{"model":"m","stream":true,"stream_options":{"include_usage":false,"x":1}}`,
		`{"model":"m","stream":true,"stream_options":{"include_usage":"yes"}}`,
		`{"model":"m","stream":true,"stream_options":"x"}`,
		`{"model":"m","stream":true,"stream_options":7}`,
		`{"model":"m","stream":true,"stream_options":[0]}`,
		`{"model":"m","stream":true,"stream_options":[]}`,
		`{"model":"m","max_tokens":1e99}`, `{"model":"m","max_tokens":-5}`,
		`{"model":"m","max_tokens":"9"}`,
		`{"model":"m","max_tokens":[9]}`, `{"model":"m","max_tokens":9,"max_completion_tokens":99999}`,
		`{"model":"m","max_output_tokens":99999,"options":{"num_predict":99999}}`,
		`{"model":"m","options":"x"}`, `{"model":"m","options":[]}`,
		`{"model":"m","options":{"num_predict":-1}}`,
	} {
		for _, api := range provider.Names() {
			g := gateway(t, api)
			q, refused := g.inspect(g.Model, []byte(body))
			if refused != nil {
				t.Errorf("%s: %s: %s", api, body, refused.msg)
				continue
			}
			sent, refused := q.bounded(&budget.Hold{Answer: 500})
			if refused != nil {
				if refused.reason != reasonForm {
					t.Errorf("%s: %s: %+v", api, body, refused)
				}
				continue
			}
			if !gjson.ValidBytes(sent.body) || string(q.body) != body {
				t.Errorf("%s: %s became %q, and what was asked %q", api, body, sent.body, q.body)
			}
			bounds := 0
			for _, path := range g.Model.Limits() {
				if v := gjson.GetBytes(sent.body, path); v.Exists() {
					if bounds++; v.Type != gjson.Number || v.Int() < 1 || v.Int() > 500 {
						t.Errorf("%s: %s is %s in %s", api, path, v.Raw, sent.body)
					}
				}
			}
			if bounds == 0 {
				t.Errorf("%s: nothing bounds %s", api, sent.body)
			}
			counted := gjson.GetBytes(sent.body, "stream_options.include_usage").Type == gjson.True
			if api == "openai-chat" && q.stream && !counted {
				t.Errorf("nobody counts the stream of %s: %s", body, sent.body)
			}
		}
	}
}

// TestCharge: what an answer is taken to have cost. The provider's count holds; what it did not
// come to say is taken for more rather than less, but never for more than was allowed.
func TestCharge(t *testing.T) {
	for _, c := range []struct {
		name      string
		said      usage.Usage
		stop      string
		bound     int64
		taken     int
		took      time.Duration
		in, reads int64
		out       int64
	}{
		{"whole", usage.Usage{Input: 10, CacheRead: 5, Output: 7}, "end", 100, 1 << 20, time.Hour,
			10, 5, 7},
		{"whole, and nothing counted", usage.Usage{}, "end", 100, 640, time.Second, 1000, 0, 0},
		{"only the cache", usage.Usage{CacheRead: 5}, "end", 100, 0, 0, 0, 5, 0},
		{"cut, by its bytes", usage.Usage{Input: 10}, "", 0, 64000, 0, 10, 0, 1000},
		{"cut, by its time", usage.Usage{Input: 10}, "", 0, 64, 20 * time.Second, 10, 0, 2000},
		{"cut at its bound", usage.Usage{Input: 10}, "", 50, 64000, time.Minute, 10, 0, 50},
		{"cut, more was counted", usage.Usage{Input: 10, Output: 70}, "", 50, 64, 0, 10, 0, 70},
		{"cut at once", usage.Usage{}, "", 50, 0, 0, 1000, 0, 0},
	} {
		q := &question{Question: budget.Question{Prompt: 1000, Answer: c.bound}}
		got := charge(q, &answer.Answer{Usage: c.said, Stop: c.stop}, c.taken, c.took)
		if got.Input != c.in || got.CacheRead != c.reads || got.Output != c.out {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// TestKnown: the token stands where the providers' clients put a key.
func TestKnown(t *testing.T) {
	const token = "the-token"
	for header, ok := range map[string]bool{
		"X-Api-Key: the-token": true, "x-api-key: the-token": true,
		"Authorization: Bearer the-token": true,
		"":                                false, "X-Api-Key: ": false, "X-Api-Key: the-token ": false,
		"X-Api-Key: the-toke": false, "X-Api-Key: the-tokens": false,
		"Authorization: the-token": false, "Authorization: bearer the-token": false,
		"Authorization: Basic the-token": false, "Authorization: Bearer  the-token": false,
		"Cookie: the-token": false,
	} {
		r := httptest.NewRequest("POST", "/", nil)
		if name, value, ok := strings.Cut(header, ": "); ok {
			r.Header[http.CanonicalHeaderKey(name)] = []string{value}
		}
		if _, got := (&Gateway{Token: token}).known(r); got != ok {
			t.Errorf("%q: %v", header, got)
		}
		if _, got := (&Gateway{}).known(r); !got {
			t.Errorf("%q: refused where no token is asked for", header)
		}
	}
	// A bearer that is wrong is not mended by another header: a client has one key.
	r := httptest.NewRequest("POST", "/", nil)
	r.Header.Set("X-Api-Key", token)
	r.Header.Set("Authorization", "Bearer other")
	if _, got := (&Gateway{Token: token}).known(r); got {
		t.Error("the wrong bearer is let in")
	}
}

// TestHeaders: of what the provider says in headers a client gets what it needs, and nothing of
// the account.
func TestHeaders(t *testing.T) {
	from := http.Header{}
	for _, name := range []string{
		"Content-Type", "Request-Id", "X-Request-Id", "Retry-After", "Retry-After-Ms",
		"X-Should-Retry", "X-Ratelimit-Remaining-Tokens", "Anthropic-Ratelimit-Tokens-Reset",
		"Set-Cookie", "Openai-Organization", "Anthropic-Organization-Id", "Content-Length",
		"Content-Encoding", "Server", "Transfer-Encoding", "Location", "Authorization", "X-Api-Key",
		failure.RefusedHeader,
	} {
		from.Set(name, "v")
	}
	to := http.Header{}
	copyHeaders(to, from)
	for name := range to {
		low := strings.ToLower(name)
		if !strings.Contains(low, "ratelimit") && !strings.Contains(low, "request-id") &&
			!strings.Contains(low, "retry") && low != "content-type" {
			t.Errorf("%s is passed on", name)
		}
	}
	if len(to) != 8 {
		t.Errorf("%v", to)
	}
}

// TestHide: the key does not come out in words of the provider's; a short one, as for a local
// server, would take away letters of any text.
func TestHide(t *testing.T) {
	g := gateway(t, "openai-chat")
	for _, c := range []struct{ key, text, want string }{
		{"sk-1234567890", "bad key sk-1234567890, sk-1234567890!", "bad key [key], [key]!"},
		{"sk-1234567890", "sk-123456789", "sk-123456789"}, {"x", "xxx", "xxx"}, {"", "text", "text"},
	} {
		if g.Model.Key = c.key; g.hide(c.text) != c.want {
			t.Errorf("%q: %q", c.text, g.hide(c.text))
		}
	}
}

// TestRefusalForms: a refusal has the form of the API's own errors, says to a client's retries
// what they should do, and is a reason by its header.
func TestRefusalForms(t *testing.T) {
	for _, why := range []reason{
		reasonToken, reasonRoute, reasonDepth, reasonModel, reasonHosted, reasonForm, reasonSize,
		reasonBusy, reasonBudget, reasonNetwork, reasonLog,
	} {
		for api, message := range map[string]string{
			"anthropic": "error.message", "openai": "error.message", "openai-chat": "error.message",
			"ollama": "error",
		} {
			w := httptest.NewRecorder()
			refuse(why, "a %q\n\x1b", "word").write(w, provider.Model{API: api})
			body := w.Body.String()
			if w.Code != why.status || !gjson.Valid(body) || strings.Count(body, "\n") != 1 ||
				gjson.Get(body, message).String() != "a \"word\"\n\x1b" ||
				w.Header().Get(failure.RefusedHeader) != why.name ||
				w.Header().Get("Content-Type") != "application/json" {
				t.Errorf("%s, %s: %d %v %s", why.name, api, w.Code, w.Header(), body)
			}
			if api == "anthropic" && (gjson.Get(body, "type").Str != "error" ||
				gjson.Get(body, "error.type").Str != why.typ) {
				t.Errorf("%s: %s", why.name, body)
			}
			again := w.Header().Get("X-Should-Retry") != "false"
			if want := why.status == 429 || why.status >= 500; again != want || (why == reasonBusy) !=
				(w.Header().Get("Retry-After") != "") {
				t.Errorf("%s: tried again: %v, %v", why.name, again, w.Header())
			}
		}
	}
}

// TestWord: what a client wrote comes into a log short, and drives no terminal.
func TestWord(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "m/n": "m/n", "a\nb\x1b[2J\u202e\u0085": "ab[2J", "\xff\xfe": "", "ü": "ü",
		strings.Repeat("x", 300):       strings.Repeat("x", 200),
		strings.Repeat("x", 199) + "ü": strings.Repeat("x", 199),
	} {
		if got := word(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// TestKeyOfOthers: of a client's headers those alone go to the provider that say what the API is
// to do; the client's key and addresses do not.
func TestKeyOfOthers(t *testing.T) {
	var got http.Header
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got = r.Header
	}))
	defer server.Close()
	t.Setenv("ANTHROPIC_BASE_URL", server.URL)
	m, err := provider.Resolve("anthropic/m", &settings.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	m.Key = "own-key-of-the-user"
	g := gateway(t, "anthropic")
	g.Model, g.transport = m, http.DefaultTransport
	r := httptest.NewRequest("POST", "/v1/messages", nil)
	for name, value := range map[string]string{
		"X-Api-Key": "token", "Authorization": "Bearer token", "Cookie": "c",
		"X-Forwarded-For": "10.0.0.1", "Anthropic-Beta": "b", "Anthropic-Version": "v",
		"User-Agent": "u", "Anthropic-Dangerous-Direct-Browser-Access": "true",
		"Openai-Organization": "o", "Openai-Beta": strings.Repeat("x", 2000),
	} {
		r.Header.Set(name, value)
	}
	x := &exchange{r: r, route: provider.Route{Model: m}, record: &Record{}}
	resp, refused := g.send(context.Background(), x, server.URL, []byte("{}"))
	if refused != nil {
		t.Fatal(refused.msg)
	}
	resp.Body.Close()
	if got.Get("X-Api-Key") != "own-key-of-the-user" || got.Get("Anthropic-Beta") != "b" ||
		got.Get("Anthropic-Version") != "v" {
		t.Errorf("%v", got)
	}
	for name := range got {
		switch name {
		case "X-Api-Key", "Anthropic-Beta", "Anthropic-Version", "Accept", "Accept-Encoding",
			"Content-Length", "Content-Type", "User-Agent":
		default:
			t.Errorf("%s: %s goes to the provider", name, got.Get(name))
		}
	}
	if strings.Contains(strings.Join(got["User-Agent"], ""), "u,") ||
		!strings.HasPrefix(got.Get("User-Agent"), "ua-think/") {
		t.Errorf("%q", got["User-Agent"])
	}
}
