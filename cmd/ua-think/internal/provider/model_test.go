package provider

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"ua/cmd/ua-think/internal/failure"
	"ua/cmd/ua-think/internal/keystore"
	"ua/cmd/ua-think/internal/settings"
	"ua/internal/common/config"
	"ua/internal/common/prog"
)

// alone clears the variables that name models, keys and servers.
func alone(t *testing.T) {
	for _, name := range []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL",
		"OPENAI_API_KEY", "OPENAI_BASE_URL", "OLLAMA_HOST", "OLLAMA_API_KEY"} {
		t.Setenv(name, "")
	}
	for _, name := range config.ProviderKeys() {
		t.Setenv(name, "")
	}
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
}

// full is an error with its hint.
func full(err error) string {
	if err == nil {
		return ""
	}
	var e *prog.Error
	if errors.As(err, &e) && e.Hint != "" {
		return err.Error() + "; " + e.Hint
	}
	return err.Error()
}

func own() *settings.Settings {
	return &settings.Settings{
		Alias: map[string]string{"fast": "own/mini", "round": "fast"},
		Provider: map[string]settings.Provider{
			"own":   {BaseURL: "https://own.example/v1/"},
			"other": {BaseURL: "http://other.example", API: "anthropic"},
			"odd":   {BaseURL: "http://odd.example", API: "smtp"},
			"file":  {BaseURL: "file:///etc/passwd"},
			"bare":  {},
		},
	}
}

// TestResolve finds the model that a user names, and where it is asked.
func TestResolve(t *testing.T) {
	alone(t)
	for spec, want := range map[string]string{
		"anthropic/claude-x": "anthropic/claude-x https://api.anthropic.com/v1/messages",
		"claude-x":           "anthropic/claude-x https://api.anthropic.com/v1/messages",
		"gpt-9":              "openai/gpt-9 https://api.openai.com/v1/responses",
		"o3-mini":            "openai/o3-mini https://api.openai.com/v1/responses",
		"openai-chat/m":      "openai-chat/m https://api.openai.com/v1/chat/completions",
		"ollama/llama:8b":    "ollama/llama:8b http://127.0.0.1:11434/api/chat",
		"own/org/model":      "own/org/model https://own.example/v1/chat/completions",
		"fast":               "own/mini https://own.example/v1/chat/completions",
		"other/m":            "other/m http://other.example/v1/messages",
		"replay:a/b.jsonl":   "replay:a/b.jsonl",
		"exec:cat -":         "exec:cat -",
		"round":              `model "fast" names no provider`,
		"llama":              `model "llama" names no provider`,
		"anthropic/":         "names no provider",
		"/m":                 "names no provider",
		"":                   "names no provider",
		"replay:":            "names no provider",
		"antropic/m":         `unknown provider "antropic"; did you mean anthropic?`,
		"nobody/m":           "give it base_url in [provider.nobody]",
		"bare/m":             `unknown provider "bare"`,
		"odd/m":              `unknown api "smtp"; the APIs are anthropic, openai`,
		"file/m":             "is not an HTTP URL",
	} {
		m, err := Resolve(spec, own())
		got := m.Spec()
		if m.Base != "" {
			got += " " + m.URL()
		}
		if err != nil && !strings.Contains(full(err), want) || err == nil && got != want {
			t.Errorf("%q: %s, %s; want %s", spec, got, full(err), want)
		}
	}
}

// TestBase takes another server from the environment, for built-in providers alone.
func TestBase(t *testing.T) {
	alone(t)
	for _, c := range []struct{ env, value, spec, url, models string }{
		{"ANTHROPIC_BASE_URL", "http://h:1/", "anthropic/m", "http://h:1/v1/messages",
			"http://h:1/v1/models?limit=1000"},
		{"ANTHROPIC_BASE_URL", "http://h:1/v1", "anthropic/m", "http://h:1/v1/messages",
			"http://h:1/v1/models?limit=1000"},
		{"OPENAI_BASE_URL", "http://h:1/v1", "openai-chat/m", "http://h:1/v1/chat/completions",
			"http://h:1/v1/models"},
		{"OLLAMA_HOST", "h", "ollama/m", "http://h:11434/api/chat", "http://h:11434/api/tags"},
		{"OLLAMA_HOST", "0.0.0.0:1", "ollama/m", "http://127.0.0.1:1/api/chat",
			"http://127.0.0.1:1/api/tags"},
		{"OLLAMA_HOST", "https://h", "ollama/m", "https://h/api/chat", "https://h/api/tags"},
		{"ANTHROPIC_BASE_URL", "http://h:1", "other/m", "http://other.example/v1/messages",
			"http://other.example/v1/models?limit=1000"},
	} {
		t.Setenv(c.env, c.value)
		m, err := Resolve(c.spec, own())
		if err != nil || m.URL() != c.url || m.ModelsURL() != c.models {
			t.Errorf("%s=%s: %s %s, %v", c.env, c.value, m.URL(), m.ModelsURL(), err)
		}
		t.Setenv(c.env, "")
	}
}

// TestKeys takes a key from the first place that has one, and puts it where the API wants
// it.
func TestKeys(t *testing.T) {
	for name, c := range map[string]struct {
		env    map[string]string
		set    settings.Provider
		spec   string
		header string
		wrong  string
	}{
		"Anthropic's": {map[string]string{"ANTHROPIC_API_KEY": "k"}, settings.Provider{},
			"anthropic/m", "X-Api-Key: k", ""},
		"Anthropic's token": {map[string]string{"ANTHROPIC_AUTH_TOKEN": "k"}, settings.Provider{},
			"anthropic/m", "Authorization: Bearer k", ""},
		"OpenAI's": {map[string]string{"OPENAI_API_KEY": "k"}, settings.Provider{}, "openai/m",
			"Authorization: Bearer k", ""},
		"of the settings": {map[string]string{"OPENAI_API_KEY": "k"}, settings.Provider{Key: "s"},
			"openai/m", "Authorization: Bearer s", ""},
		"of a command": {nil, settings.Provider{KeyCmd: "echo ' c '"}, "openai/m",
			"Authorization: Bearer c", ""},
		"of a variable": {map[string]string{"MINE": "v"}, settings.Provider{KeyEnv: "MINE"},
			"openai/m", "Authorization: Bearer v", ""},
		"a command fails": {nil, settings.Provider{KeyCmd: "exit 3"}, "openai/m", "",
			"api_key_cmd of openai: exit status 3"},
		"two lines": {nil, settings.Provider{KeyCmd: "echo a; echo b"}, "openai/m", "",
			"contains a line break"},
		"none": {nil, settings.Provider{}, "openai/m", "",
			"there is no key for openai; set OPENAI_API_KEY"},
		"none, elsewhere": {nil, settings.Provider{BaseURL: "http://h"}, "openai/m", "", ""},
		"a stored one": {map[string]string{"STORED": "k"}, settings.Provider{}, "openai/m",
			"Authorization: Bearer k", ""},
		"the variable before it": {map[string]string{"STORED": "s", "OPENAI_API_KEY": "k"},
			settings.Provider{}, "openai/m", "Authorization: Bearer k", ""},
		"none wanted": {nil, settings.Provider{}, "ollama/m", "", ""},
		"a header": {nil, settings.Provider{Header: map[string]string{"X-Team": "a"}},
			"ollama/m", "X-Team: a", ""},
		"of no API": {map[string]string{"OPENAI_API_KEY": "k"}, settings.Provider{}, "exec:true",
			"", ""},
		"no other's": {map[string]string{"OPENAI_API_KEY": "k"}, settings.Provider{},
			"anthropic/m", "", "no key for anthropic"},
	} {
		alone(t)
		if c.env["STORED"] != "" {
			if _, err := keystore.Set("openai", c.env["STORED"]); err != nil {
				t.Fatal(err)
			}
		}
		for name, value := range c.env {
			t.Setenv(name, value)
		}
		provider, _, _ := strings.Cut(c.spec, "/")
		cfg := &settings.Settings{Provider: map[string]settings.Provider{provider: c.set}}
		m, err := Resolve(c.spec, cfg)
		if err == nil {
			m, err = m.Unlock(cfg)
		}
		if (err == nil) != (c.wrong == "") || !strings.Contains(full(err), c.wrong) {
			t.Errorf("%s: %s", name, full(err))
			continue
		}
		if m.API == Exec || err != nil {
			continue
		}
		h := m.Headers()
		h.Del("Anthropic-Version")
		var got []string
		for field := range h {
			got = append(got, field+": "+h.Get(field))
		}
		if strings.Join(got, ", ") != c.header {
			t.Errorf("%s: %q", name, got)
		}
		if has := m.HasKey(cfg); has != (strings.Contains(c.header, "k") ||
			c.set.Key+c.set.KeyCmd+c.set.KeyEnv != "") {
			t.Errorf("%s: has a key: %v", name, has)
		}
	}
}

// TestExplain: no word of a failure holds the key.
func TestExplain(t *testing.T) {
	m := Model{Key: "sk-12345678", keyEnv: "MY_KEY"}
	f := &failure.Failure{Msg: "bad sk-12345678!", BadKey: true}
	m.Explain(f)
	if f.Msg != "bad [key]!" || !strings.Contains(f.Hint, "check MY_KEY") {
		t.Errorf("%+v", f)
	}
	f = &failure.Failure{Msg: "no model x", Hint: "as it was"}
	Model{Key: "x"}.Explain(f)
	if f.Msg != "no model x" || f.Hint != "as it was" {
		t.Errorf("%+v", f)
	}
}

// TestDefault takes the model that is named, or the one of the provider whose key is there.
func TestDefault(t *testing.T) {
	anthropic, openai := makers()[0].preferred(), makers()[1].preferred()
	for env, want := range map[string]string{
		"": "no model is set", "ANTHROPIC_API_KEY=k": anthropic,
		"ANTHROPIC_AUTH_TOKEN=k": anthropic, "OPENAI_API_KEY=k": openai,
		"OPENAI_API_KEY=k ANTHROPIC_API_KEY=k":                       anthropic,
		"OPENAI_BASE_URL=http://h":                                   "no model is named",
		"OPENAI_API_KEY=k OPENAI_BASE_URL=https://api.openai.com/v1": openai,
	} {
		alone(t)
		for _, kv := range strings.Fields(env) {
			name, value, _ := strings.Cut(kv, "=")
			t.Setenv(name, value)
		}
		got, err := Default("", "")
		if err != nil && !strings.Contains(err.Error(), want) || err == nil && got != want {
			t.Errorf("%s: %s, %v", env, got, err)
		}
		if got, err := Default("", "a/b", "c/d"); got != "a/b" || err != nil {
			t.Errorf("%s: %s, %v", env, got, err)
		}
	}
}

func TestReachable(t *testing.T) {
	for env, want := range map[string]string{
		"": "bare file odd other own", "OPENAI_API_KEY=k": "openai bare file odd other own",
		"OPENAI_API_KEY=k OPENAI_BASE_URL=http://h":  "openai-chat bare file odd other own",
		"ANTHROPIC_AUTH_TOKEN=a ANTHROPIC_API_KEY=b": "anthropic bare file odd other own",
		"OLLAMA_HOST=h ANTHROPIC_API_KEY=b":          "anthropic ollama bare file odd other own",
	} {
		alone(t)
		for _, kv := range strings.Fields(env) {
			name, value, _ := strings.Cut(kv, "=")
			t.Setenv(name, value)
		}
		if got := strings.Join(Reachable(own()), " "); got != want {
			t.Errorf("%s: %s", env, got)
		}
	}
}

// TestServes: a provider serves its own API and an older one.
func TestServes(t *testing.T) {
	for api, want := range map[string][2]bool{"openai": {true, false}, usualAPI: {true, true},
		"anthropic": {}, "": {}} {
		for i, m := range []Model{{API: "openai"}, {API: usualAPI}} {
			if got := m.Serves(api); got != want[i] {
				t.Errorf("%s of %s: %v", api, m.API, got)
			}
		}
	}
}

func TestVisionQuery(t *testing.T) {
	m := Model{API: "ollama", Base: "http://h:1", Name: `a"b`}
	if url, body := m.VisionQuery(); url != "http://h:1/api/show" ||
		string(body) != `{"model":"a\"b"}` {
		t.Errorf("%s %s", url, body)
	}
	m.Blind = true
	if url, _ := m.VisionQuery(); url != "" {
		t.Error(url)
	}
	if url, _ := (Model{API: "openai", Base: "http://h"}).VisionQuery(); url != "" {
		t.Error(url)
	}
	for answer, want := range map[string]bool{
		`{"capabilities":["completion","vision"]}`: true, `{"capabilities":["completion"]}`: false,
		`{"capabilities":[]}`: false, `{}`: true, `no JSON`: true, `{"capabilities":"vision"}`: true,
	} {
		if got := m.HasVision([]byte(answer)); got != want {
			t.Errorf("%s: %v", answer, got)
		}
	}
}

func TestOffers(t *testing.T) {
	for _, c := range [][2]string{
		{`{"data":[{"id":"b"},{"id":"a"}]}`, "a 0 false 0 0 true; b 0 false 0 0 true"},
		{`{"models":[{"name":"b"},{"name":"a"}]}`, "a 0 false 0 0 true; b 0 false 0 0 true"},
		{`[{"id":"t","context_length":8,"pricing":{"input":0.5,"output":2}}]`, "t 8 true 0.5 2 true"},
		{`{"data":[{"id":"o/m","context_length":9,"pricing":{"prompt":"0.000002",` +
			`"completion":"0.00001"}}]}`, "o/m 9 true 2 10 true"},
		{`{"data":[{"id":"auto","pricing":{"prompt":"-1"}}]}`, "auto 0 false 0 0 true"},
		{`{"data":[{"id":"g","context_window":131072}]}`, "g 131072 false 0 0 true"},
		{`{"data":[{"id":"v","max_model_len":4096}]}`, "v 4096 false 0 0 true"},
		{`{"data":[{"id":"l","state":"loaded","max_context_length":9,"loaded_context_length":4},` +
			`{"id":"n","state":"not-loaded"},{"id":"e","state":"loaded","type":"embeddings"}]}`,
			"e 0 false 0 0 false; l 4 false 0 0 true; n 0 false 0 0 false"},
		{"no list", ""}, {`{"data":7}`, ""}, {`{}`, ""}, {`[]`, ""}, {`[1,"x",{}]`, ""},
	} {
		var got []string
		for _, o := range Offers([]byte(c[0])) {
			got = append(got, strings.Trim(fmt.Sprint(o), "{}"))
		}
		if text := strings.Join(got, "; "); text != c[1] {
			t.Errorf("%s: %s", c[0], text)
		}
	}
}

// TestRows: a row of the table is whole. What may be left out can be told by its column's
// comment: it is a text, a list, or server, which only Ollama needs.
func TestRows(t *testing.T) {
	for _, a := range apis {
		v := reflect.ValueOf(a)
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			if f := v.Field(i); f.Kind() == reflect.Func && f.IsNil() && name != "server" {
				t.Errorf("%s has no %s", a.Name, name)
			}
		}
		if a.path == "" || a.models == "" {
			t.Errorf("%s lacks a column", a.Name)
		}
	}
}
