package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/provider"
	"ua/internal/test/modeltest"
)

// TestMakers asks a server of each provider that is known by name, in its own dialect of the
// answer, and looks at what the request says otherwise than others.
func TestMakers(t *testing.T) {
	limit := map[string]string{"anthropic": "max_tokens", "openai": "max_output_tokens",
		"groq": "max_completion_tokens", "xai": "max_completion_tokens",
		"cerebras": "max_completion_tokens", "azure": "max_completion_tokens",
		"azure-classic": "max_completion_tokens", "ollama": "options.num_predict"}
	for _, name := range provider.Names() {
		f := modeltest.NewServer(t, modeltest.Always(modeltest.Done))
		f.Lax = name == "mistral"
		base := f.URL + "/v1"
		if name == "azure-classic" {
			base = f.URL + "/openai/deployments/m?api-version=1"
		}
		if name == "ollama" {
			base = f.URL
		}
		settle(t, f, "[provider."+name+"]\nbase_url = \""+base+"\"\napi_key = \""+
			modeltest.Secret+"\"\n")
		o := think(t, `{"type":"instruction","text":"go"}`, "--model", name+"/m", "--max-tokens", "77")
		if o.status != 0 || len(f.Requests()) != 1 {
			t.Errorf("%s: status %d, %d requests\n%s", name, o.status, len(f.Requests()), o.stderr)
			continue
		}
		body := gjson.Parse(f.Requests()[0])
		want := limit[name]
		if want == "" {
			want = "max_tokens"
		}
		if body.Get(want).Int() != 77 || body.Get("stream_options").Exists() ==
			(name == "mistral" || name == "anthropic" || name == "openai" || name == "ollama") {
			t.Errorf("%s: %s", name, body.Raw)
		}
		if strings.HasPrefix(name, "azure") != (f.Heads()[0].Get("Api-Key") != "") {
			t.Errorf("%s: %v", name, f.Heads()[0])
		}
	}
}

// TestLoaded: a provider's name alone is the one model that its server has loaded.
func TestLoaded(t *testing.T) {
	lists := map[string]string{"/api/v0/models": `{"data":[{"id":"one","state":"loaded"},` +
		`{"id":"cold","state":"not-loaded"},{"id":"e","type":"embeddings","state":"loaded"}]}`,
		"/v1/models": `{"data":[{"id":"a"},{"id":"b"}]}`, "/api/ps": `{"models":[]}`,
		"/one/models": `{"data":[{"id":"org/only","max_model_len":4096}]}`}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte(lists[r.URL.Path]))
	}))
	defer s.Close()
	f := modeltest.NewServer(t, modeltest.Always(modeltest.Done))
	settle(t, f, "[provider.lmstudio]\nbase_url = \""+s.URL+"/v1\"\n[provider.llamacpp]\n"+
		"base_url = \""+s.URL+"/v1\"\n[provider.vllm]\nbase_url = \""+s.URL+"/one\"\n")
	t.Setenv("OLLAMA_HOST", s.URL)
	for model, want := range map[string]string{"lmstudio": `"model":"one"`,
		"vllm": `"model":"org/only"`, "llamacpp": "which one", "ollama": "no model loaded"} {
		o := think(t, `{"type":"instruction","text":"go"}`, "--model", model, "--dry-run")
		if !strings.Contains(o.out+o.stderr, want) {
			t.Errorf("%s: %d %s%s", model, o.status, o.out, o.stderr)
		}
	}
	o := think(t, "", "models", "vllm")
	if strings.TrimSpace(o.out) != "vllm/org/only  4096" {
		t.Errorf("%q %s", o.out, o.stderr)
	}
	o = think(t, "", "models", "--json", "vllm")
	if o.out != `{"context":4096,"model":"vllm/org/only"}`+"\n" {
		t.Errorf("%q", o.out)
	}
}

// TestModelsOfTheModel: the provider of the model that is set is asked, though it has neither a
// key nor an address in the settings. Whether its server runs here does not matter.
func TestModelsOfTheModel(t *testing.T) {
	settle(t, modeltest.NewServer(t, modeltest.Always(modeltest.Done)), "")
	t.Setenv("UA_CONFIG", "/dev/null")
	t.Setenv("UA_MODEL", "vllm")
	if o := think(t, "", "models"); !strings.Contains(o.out+o.stderr, "vllm") {
		t.Errorf("%+v", o)
	}
}

// TestModelsPartly: of several providers, one that fails is a line without its key, and the
// others are listed.
func TestModelsPartly(t *testing.T) {
	bad := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"error":{"message":"wrong key sk-bad-0123456789"}}`,
			http.StatusUnauthorized)
	}))
	defer bad.Close()
	f := modeltest.NewServer(t, modeltest.Always(modeltest.Done))
	settle(t, f, "base_url = \""+f.URL+"/v1\"\n[provider.bad]\nbase_url = \""+bad.URL+
		"\"\napi_key = \"sk-bad-0123456789\"\n")
	o := think(t, "", "models", "p", "bad")
	if !strings.Contains(o.out, "p/a-model\n") || strings.Contains(o.out+o.stderr, "sk-bad") ||
		!strings.Contains(o.stderr, "bad: HTTP 401") || strings.Count(o.stderr, "\n") > 2 ||
		o.status != 2 {
		t.Errorf("%d %s%s", o.status, o.out, o.stderr)
	}
}
