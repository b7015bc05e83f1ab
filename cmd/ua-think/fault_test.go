package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/test/modeltest"
)

// TestRetries: failures before the first content are tried again and told.
func TestRetries(t *testing.T) {
	past := time.Now().Add(-time.Hour).UTC().Format(http.TimeFormat)
	for name, fail := range map[string]modeltest.Reply{
		"429 in ms": modeltest.APIError(429, "rate_limit_error", "slow down", "retry-after-ms", "1"),
		"429 in seconds": modeltest.APIError(429, "rate_limit_error", "slow down",
			"Retry-After", "0.001"),
		"429 with a date": modeltest.APIError(429, "rate_limit_error", "slow down", "Retry-After", past,
			"retry-after-ms", "1"),
		"529": modeltest.APIError(529, "overloaded_error", "Overloaded", "retry-after-ms", "1"),
		"500": modeltest.APIError(500, "api_error", "oops", "retry-after-ms", "1"),
		"503 in HTML": {Status: 503, Pieces: []string{"<html>bad gateway</html>"},
			Header: map[string]string{"retry-after-ms": "1"}},
		"408":          modeltest.APIError(408, "timeout", "slow", "retry-after-ms", "1"),
		"409":          modeltest.APIError(409, "conflict", "lock", "retry-after-ms", "1"),
		"reset":        {Cut: true},
		"empty stream": {},
		"cut early": {Pieces: []string{modeltest.SSE("message_start",
			`{"type":"message_start","message":{}}`)}, Cut: true},
		"overloaded event": {Pieces: []string{modeltest.SSE("error",
			`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`)}},
		"garbage": {Pieces: []string{"data: {]\n\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := modeltest.NewServer(t, func(n int, api string, _ gjson.Result) modeltest.Reply {
				if n == 0 {
					return fail
				}
				return modeltest.Done(api)
			})
			f.Use(t)
			o := think(t, "", "--model", "anthropic/m", "hi")
			if o.status != 0 || o.said("text") != "Done." || len(f.Requests()) != 2 ||
				f.Requests()[0] != f.Requests()[1] {
				t.Fatalf("status %d, %d requests, %s%s", o.status, len(f.Requests()), o.out, o.stderr)
			}
			if e := o.one(t, "error"); !e.Get("retryable").Bool() ||
				!strings.Contains(o.stderr, "trying again in") {
				t.Errorf("error %s, stderr %s", e.Raw, o.stderr)
			}
		})
	}
}

// TestFailures: what can't be retried, or was too often, ends with its own
// status and a hint.
func TestFailures(t *testing.T) {
	for name, c := range map[string]struct {
		fail   modeltest.Reply
		status int
		says   string
		hint   string
	}{
		"400": {modeltest.APIError(400, "invalid_request_error", "bad field"), 2,
			"anthropic: HTTP 400: bad field", "--dry-run"},
		"401": {modeltest.APIError(401, "authentication_error", "invalid x-api-key"), 2,
			"HTTP 401", "key"},
		"the key echoed": {modeltest.APIError(401, "authentication_error",
			"no such key: "+modeltest.Secret), 2, "no such key: [key]", "key"},
		"403": {modeltest.APIError(403, "permission_error", "no"), 2, "HTTP 403", "may not"},
		"404": {modeltest.APIError(404, "not_found_error", "model: m"), 2, "model: m",
			"ua-think models"},
		"too long": {modeltest.APIError(400, "invalid_request_error",
			"prompt is too long: 300000 tokens > 200000 maximum"), 1, "prompt is too long",
			"--context-tokens"},
		"413": {modeltest.APIError(413, "request_too_large", "large"), 1, "413", "too long"},
		"no credit": {modeltest.APIError(429, "insufficient_quota", "You exceeded your current quota"),
			2, "quota", "credit"},
		"wait too long": {modeltest.APIError(429, "rate_limit_error", "slow down",
			"Retry-After", "3600"), 75, "slow down", "until 20"},
		"date too far": {modeltest.APIError(429, "rate_limit_error", "slow down", "Retry-After",
			time.Now().Add(2*time.Hour).UTC().Format(http.TimeFormat)), 75, "slow down", "asks to wait"},
		"always 500": {modeltest.APIError(500, "api_error", "oops", "retry-after-ms", "1"), 75, "oops",
			""},
		"words that lie": {modeltest.APIError(400, "api_error", "overloaded, try again"), 2, "HTTP 400",
			"--dry-run"},
		"a limit in 403": {modeltest.APIError(403, "rate_limit_error", "slow down"), 2, "HTTP 403",
			"may not"},
		"redirect": {modeltest.Reply{Status: 307,
			Header: map[string]string{"Location": "http://evil.example/"}}, 2, "evil.example", "base URL"},
		"error in stream": {modeltest.Reply{Pieces: []string{modeltest.SSE("error",
			`{"type":"error","error":{"type":"invalid_request_error","message":"nope"}}`)}}, 2, "nope",
			"--dry-run"},
	} {
		t.Run(name, func(t *testing.T) {
			f := modeltest.NewServer(t, func(int, string, gjson.Result) modeltest.Reply {
				return c.fail
			})
			f.Use(t)
			o := think(t, "", "--model", "anthropic/m", "--retries", "1", "hi")
			e := gjson.Parse("{}")
			if all := o.all("error"); len(all) > 0 {
				e = all[len(all)-1]
			}
			if o.status != c.status || int(e.Get("status").Int()) != c.status ||
				!strings.Contains(o.stderr, c.says) || !strings.Contains(o.stderr, c.hint) {
				t.Errorf("status %d: %s%s", o.status, e.Raw, o.stderr)
			}
			if (c.status == 75) != e.Get("retryable").Bool() || len(o.all("response")) > 0 {
				t.Errorf("event %s", o.out)
			}
		})
	}
}

// TestCut: a stream that breaks after content leaves what was complete.
func TestCut(t *testing.T) {
	whole := modeltest.Stream("anthropic", "tool_use",
		modeltest.Say{Kind: "text", Text: "Let me look"},
		modeltest.Say{Kind: "tool", ID: "t1", Text: `{"command":"ls"}`},
		modeltest.Say{Kind: "tool", ID: "t2", Text: `{"command":"rm x"}`, Piece: 4})
	at := func(part string) int {
		for i, e := range whole {
			if strings.Contains(e, part) {
				return i
			}
		}
		t.Fatal(part)
		return 0
	}
	for name, c := range map[string]struct {
		pieces []string
		stall  bool
		calls  int
		says   string
	}{
		"in the second call": {whole[:at("rm x")], false, 1, "cut off"},
		"in the text":        {whole[:at("content_block_stop")], false, 0, "cut off"},
		"before the stop":    {whole[:len(whole)-2], false, 2, "cut off"},
		"in an event": {append(append([]string{}, whole[:at("t2")]...),
			`data: {"type":"content_bl`), false, 1, "cut off"},
		"overloaded": {append(append([]string{}, whole[:at("t2")]...),
			modeltest.SSE("error", `{"type":"error","error":{"type":"overloaded_error",`+
				`"message":"Overloaded"}}`)), false, 1, "Overloaded"},
		"stall": {whole[:at("t2")], true, 1, "no data from the model for 1s"},
	} {
		for _, abrupt := range []bool{false, true} {
			if name == "before the stop" && !abrupt {
				continue // nothing is missing: see TestUnended
			}
			t.Run(fmt.Sprint(name, abrupt), func(t *testing.T) {
				f := modeltest.NewServer(t, func(n int, api string, _ gjson.Result) modeltest.Reply {
					return modeltest.Reply{Pieces: c.pieces, Cut: abrupt, Stall: c.stall}
				})
				f.Use(t)
				o := think(t, "", "--model", "anthropic/m", "--idle-timeout", "1s", "hi")
				resp := o.one(t, "response")
				if o.status != 75 || resp.Get("stop_reason").Str != "interrupted" ||
					len(o.all("tool_call")) != c.calls || len(f.Requests()) != 1 {
					t.Fatalf("status %d: %s%s", o.status, o.out, o.stderr)
				}
				if got := resp.Get("content.0.text").Str; got != "Let me look" {
					t.Errorf("text %q", got)
				}
				if n := len(resp.Get("content").Array()); n != 1+c.calls {
					t.Errorf("content %s", resp.Get("content").Raw)
				}
				if e := o.one(t, "error"); !strings.Contains(e.Get("message").Str, c.says) ||
					!e.Get("retryable").Bool() {
					t.Errorf("error %s", e.Raw)
				}
			})
		}
	}
}

// TestResume: a run that was cut goes on from its journal, and what was said
// stays said.
func TestResume(t *testing.T) {
	f := modeltest.NewServer(t, func(n int, api string, body gjson.Result) modeltest.Reply {
		if n == 0 {
			ev := modeltest.Stream("anthropic", "end_turn", modeltest.Say{Kind: "text", Text: "Half a"})
			return modeltest.Reply{Pieces: ev[:4], Cut: true}
		}
		if said := body.Get("messages.1.content.0.text").Str; said != "Half a" {
			t.Errorf("the model said %q before", said)
		}
		return modeltest.Done(api)
	})
	f.Use(t)
	o := think(t, `{"type":"instruction","text":"go"}`, "--model", "anthropic/m")
	o = think(t, `{"type":"instruction","text":"go"}`+"\n"+o.one(t, "response").Raw, "--model",
		"anthropic/m")
	if o.status != 0 || o.said("text") != "Done." {
		t.Errorf("%d %s%s", o.status, o.out, o.stderr)
	}
}

func TestTimeouts(t *testing.T) {
	for name, c := range map[string]struct {
		rep    modeltest.Reply
		arg    string
		status int
		says   string
	}{
		"slow headers": {modeltest.Reply{Wait: time.Minute}, "--first-timeout=100ms", 75,
			"no answer from anthropic in 100ms"},
		"no body": {modeltest.Reply{Stall: true}, "--first-timeout=100ms", 75, "no answer"},
		"total":   {modeltest.Reply{Stall: true}, "--timeout=100ms", 124, "longer than 100ms"},
	} {
		t.Run(name, func(t *testing.T) {
			f := modeltest.NewServer(t, func(int, string, gjson.Result) modeltest.Reply { return c.rep })
			f.Use(t)
			o := think(t, "", "--model", "anthropic/m", "--retries=0", c.arg, "hi")
			if o.status != c.status || !strings.Contains(o.stderr, c.says) {
				t.Errorf("%d %s", o.status, o.stderr)
			}
		})
	}
}

func TestUnreachable(t *testing.T) {
	f := modeltest.NewServer(t, nil)
	f.Use(t)
	f.Close()
	for model, hint := range map[string]string{"anthropic/m": "no server listens",
		"ollama/m": "; ollama serve starts one"} {
		o := think(t, "", "--model", model, "--retries=0", "hi")
		if o.status != 75 || !strings.Contains(o.stderr, hint) {
			t.Errorf("%s: %d %s", model, o.status, o.stderr)
		}
	}
}

func TestFallback(t *testing.T) {
	f := modeltest.NewServer(t, func(n int, api string, body gjson.Result) modeltest.Reply {
		if body.Get("model").Str == "first" {
			return modeltest.APIError(529, "overloaded_error", "Overloaded", "retry-after-ms", "1")
		}
		return modeltest.Done(api)
	})
	f.Use(t)
	o := think(t, "", "--model", "anthropic/first", "--fallback", "openai-chat/second", "--retries=1",
		"hi")
	if o.status != 0 || o.one(t, "response").Get("model").Str != "openai-chat/second" ||
		len(f.Requests()) != 3 {
		t.Errorf("%d %s%s", o.status, o.out, o.stderr)
	}
}

// TestBadEnds: refusal and max_tokens are answers, and failures of the task.
func TestBadEnds(t *testing.T) {
	for _, api := range modeltest.APIs() {
		for stop, says := range map[string]string{"max_tokens": "limit of its tokens",
			"refusal": "refused"} {
			if api == "ollama" && stop == "refusal" {
				continue
			}
			said := modeltest.Say{Kind: "text", Text: "I"}
			f := modeltest.NewServer(t, func(n int, api string, _ gjson.Result) modeltest.Reply {
				return modeltest.Reply{Pieces: modeltest.Stream(api, stop, said)}
			})
			f.Use(t)
			o := think(t, "", "--model", api+"/m", "hi")
			if o.status != 1 || o.one(t, "response").Get("stop_reason").Str != stop ||
				!strings.Contains(o.stderr, says) {
				t.Errorf("%s %s: %d %s%s", api, stop, o.status, o.out, o.stderr)
			}
		}
	}
}

// TestBadInput: the model sees that the input of its call was no JSON.
func TestBadInput(t *testing.T) {
	for _, api := range []string{"anthropic", "openai", "openai-chat"} {
		for _, input := range []string{`{"command": "ls`, `["ls"]`, `"ls"`, `{"a":1}}`} {
			f := modeltest.NewServer(t, func(n int, api string, _ gjson.Result) modeltest.Reply {
				if n == 0 {
					return modeltest.Reply{Pieces: modeltest.Stream(api, "tool_use",
						modeltest.Say{Kind: "tool", ID: "t1", Text: input},
						modeltest.Say{Kind: "tool", ID: "t2", Text: `{"command":"pwd"}`})}
				}
				return modeltest.Done(api)
			})
			f.Use(t)
			journal, _ := converseWith(t, api+"/m", 2)
			if len(f.Requests()) != 2 || !strings.Contains(f.Requests()[1], "not a JSON object") {
				t.Errorf("%s %s: %d requests, %s", api, input, len(f.Requests()), journal)
			}
		}
	}
}

// TestLimits: an answer over a limit ends with a clear error.
func TestLimits(t *testing.T) {
	for name, c := range map[string]struct {
		says modeltest.Say
		arg  string
		want string
	}{
		"text": {modeltest.Say{Kind: "text", Text: strings.Repeat("abc ", 1000), Piece: 100},
			"--max-text=2000", "the answer's text is longer than 2000 bytes"},
		"one event": {modeltest.Say{Kind: "text", Text: strings.Repeat("a", 40000)}, "--max-event=30000",
			"an event of the model's stream is longer than 30000 bytes"},
		"many inputs": {modeltest.Say{Kind: "tool", ID: "t",
			Text: `{"command":"` + strings.Repeat("a", 40000) + `"}`, Piece: 100}, "--max-event=30000",
			"inputs of the answer's calls are longer than 30000 bytes"},
	} {
		f := modeltest.NewServer(t, func(n int, api string, _ gjson.Result) modeltest.Reply {
			return modeltest.Reply{Pieces: modeltest.Stream(api, "end_turn", c.says)}
		})
		f.Use(t)
		o := think(t, "", "--model", "anthropic/m", c.arg, "hi")
		if o.status != 1 || !strings.Contains(o.stderr, c.want) {
			t.Errorf("%s: %d %.300s", name, o.status, o.stderr)
		}
	}
}

// TestBigInput: an input of 10 MiB, in one piece and in many.
func TestBigInput(t *testing.T) {
	input := `{"command":"` + strings.Repeat("x", 10<<20) + `"}`
	for _, api := range []string{"anthropic", "openai", "openai-chat"} {
		for _, piece := range []int{0, 1000} {
			f := modeltest.NewServer(t, func(n int, api string, _ gjson.Result) modeltest.Reply {
				return modeltest.Reply{Pieces: []string{strings.Join(modeltest.Stream(api, "tool_use",
					modeltest.Say{Kind: "tool", ID: "t1", Text: input, Piece: piece}), "")}}
			})
			f.Use(t)
			o := think(t, "", "--model", api+"/m", "hi")
			if got := o.one(t, "tool_call").Get("input").Raw; o.status != 0 || got != input {
				t.Errorf("%s %d: status %d, %d bytes", api, piece, o.status, len(got))
			}
		}
	}
}

// TestBudgets: a budget counts what a request will be charged.
func TestBudgets(t *testing.T) {
	f := modeltest.NewServer(t, modeltest.Always(modeltest.Done))
	f.Use(t)
	now := time.Now().UTC().Format(time.RFC3339)
	spent := func(model, ts string) string {
		return `{"type":"instruction","text":"hi"}` + "\n" +
			`{"type":"response","ts":"` + ts + `","model":"` + model +
			`","content":[{"type":"text","text":"a"}],"stop_reason":"end_turn","usage":{"input":900,` +
			`"cache_read":100,"output":50,"cost_usd":0.5}}` + "\n" +
			`{"type":"instruction","text":"more"}`
	}
	// $2 input, $0.10 from the cache, $2.50 to the cache
	const sonnet = "anthropic/claude-sonnet-5-5"
	// 3 MB, about 750,000 tokens: $1.88
	big := `{"type":"instruction","text":"` + strings.Repeat("word ", 600_000) + `"}`
	media := `{"type":"instruction","text":"look","attachments":[{"media_type":"image/png","data":"` +
		strings.Repeat("A", 1<<20) + `"}]}`
	for name, c := range map[string]struct {
		in, arg string
		status  int
		says    string
	}{
		"tokens spent": {spent(sonnet, now), "--budget-tokens=1000", 124,
			"the budget of 1000 tokens has 0 left"},
		"tokens left": {spent(sonnet, now), "--budget-tokens=9000", 0, ""},
		"dollars spent": {spent(sonnet, now), "--budget-usd=0.5", 124,
			"the budget of $0.50 has $0.00 left"},
		"dollars left": {spent(sonnet, now), "--budget-usd=0.51", 0, ""},
		"no cache counts": {spent(sonnet, now), "--budget-usd=0.5002", 124,
			"and this request costs at least $0.0008"},
		"a big first request": {big, "--budget-usd=0.10", 124,
			"the budget of $0.10 has $0.10 left, and this request costs at least $1.876"},
		"a big budget":        {big, "--budget-usd=2", 0, ""},
		"an image is no book": {media, "--budget-tokens=5000", 0, ""},
		"a replay costs nought": {strings.Replace(spent(sonnet, now), `"content"`,
			`"replay":true,"content"`, 1), "--budget-tokens=1000", 0, ""},
	} {
		o := think(t, c.in, "--model", sonnet, c.arg)
		if o.status != c.status || !strings.Contains(o.stderr, c.says) {
			t.Errorf("%s: %d %s", name, o.status, o.stderr)
		}
	}
	if len(f.Requests()) != 5 {
		t.Errorf("%d requests", len(f.Requests()))
	}
	if o := think(t, spent(sonnet, now), "--model", "anthropic/unknown",
		"--budget-usd=10"); o.status != 2 || !strings.Contains(o.stderr, "no price is known") {
		t.Errorf("unknown price: %d %s", o.status, o.stderr)
	}
}

func TestConfig(t *testing.T) {
	f := modeltest.NewServer(t, modeltest.Always(modeltest.Done))
	f.Use(t)
	t.Setenv("ANTHROPIC_API_KEY", "")
	t.Setenv("OPENAI_API_KEY", "")
	conf := filepath.Join(t.TempDir(), "config.toml")
	t.Setenv("UA_CONFIG", conf)
	t.Setenv("KEY_OF_MINE", modeltest.Secret)
	for _, c := range []struct {
		text   string
		mode   os.FileMode
		status int
		says   string
	}{
		{"[think]\nmodel = \"fast\"\n[alias]\nfast = \"mine/small\"\n[provider.mine]\nbase_url = " +
			"\"URL/v1\"\napi_key_cmd = \"echo " + modeltest.Secret + "\"\n", 0o644, 0, ""},
		{"[think]\nmodel = \"mine/x\"\n[provider.mine]\napi = \"anthropic\"\nbase_url = " +
			"\"URL\"\napi_key_env = \"KEY_OF_MINE\"\n", 0o644, 0, ""},
		{"[think]\nmodel = \"anthropic/x\"\n[provider.anthropic]\n" +
			"api_key = \"" + modeltest.Secret + "\"\n", 0o600, 0, ""},
		{"[think]\nmodel = \"anthropic/x\"\n[provider.anthropic]\n" +
			"api_key = \"" + modeltest.Secret + "\"\n", 0o644, 2, "can be read by others"},
		{"[think]\nmodel = \"anthropic/x\"\n[provider.anthropic.header]\nX-Auth = \"x\"\n", 0o640, 2,
			"can be read by others"},
		{"[think]\nmodel = \"anthropic/x\"\n[provider.anthropic]\napi_key_cmd = \"exit 3\"\n", 0o600, 2,
			"api_key_cmd of anthropic: exit status 3"},
		{"[think]\nmodel = \"anthropic/x\"\nmax_wait = \"soon\"\n", 0o600, 2, "config.toml:3"},
		{"[think]\nmodel = \"nobody/x\"\n", 0o600, 2, "unknown provider"},
		{"[think]\nmodel = \"x\"\n", 0o600, 2, "names no provider"},
		{"[think]\nmodel = \"mine/x\"\n[provider.mine]\nbase_url = \"URL/v1\"\napi = \"soap\"\n", 0o600,
			2, "unknown api"},
		{"[think]\nmodel = \"mine/x\"\n[provider.mine]\nbase_url = \"URL/v1\"\napi_key_env = " +
			"\"KEY_OF_MINE\"\n[price.\"mine/x\"]\ninput = 1000000\noutput = 1\n", 0o600, 0, ""},
	} {
		if err := os.WriteFile(conf, []byte(strings.ReplaceAll(c.text, "URL", f.URL)),
			0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(conf, c.mode); err != nil {
			t.Fatal(err)
		}
		o := think(t, "", "hi")
		if o.status != c.status || !strings.Contains(o.stderr, c.says) {
			t.Errorf("%s\n%d %s", c.text, o.status, o.stderr)
		}
		if strings.Contains(c.text, "price") && o.one(t, "response").Get("usage.cost_usd").Float() < 10 {
			t.Errorf("cost in %s", o.out)
		}
	}
}
