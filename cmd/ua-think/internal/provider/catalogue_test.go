package provider

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"ua/cmd/ua-think/internal/settings"
	"ua/internal/common/config"
)

// TestMakers: each row of the table is whole, is asked at the address that it names, and has
// a key that no command is given.
func TestMakers(t *testing.T) {
	alone(t)
	for name, value := range map[string]string{
		"AZURE_OPENAI_ENDPOINT": "https://me.openai.azure.com/", "OPENAI_API_VERSION": "2024-10-21",
		"AWS_REGION":            "eu-west-1",
		"GOOGLE_CLOUD_LOCATION": "us-east5", "GOOGLE_CLOUD_PROJECT": "proj"} {
		t.Setenv(name, value)
	}
	urls := map[string]string{
		"azure": "https://me.openai.azure.com/openai/v1/chat/completions",
		"azure-classic": "https://me.openai.azure.com/openai/deployments/m/chat/completions" +
			"?api-version=2024-10-21",
		"bedrock": "https://bedrock-mantle.eu-west-1.api.aws/v1/chat/completions",
		"vertex": "https://us-east5-aiplatform.googleapis.com/v1/projects/proj/locations/us-east5/" +
			"endpoints/openapi/chat/completions",
		"gemini":   "https://generativelanguage.googleapis.com/v1beta/openai/chat/completions",
		"zai":      "https://api.z.ai/api/paas/v4/chat/completions",
		"groq":     "https://api.groq.com/openai/v1/chat/completions",
		"deepseek": "https://api.deepseek.com/chat/completions",
		"lmstudio": "http://127.0.0.1:1234/v1/chat/completions",
		"llamacpp": "http://127.0.0.1:8080/v1/chat/completions",
		"vllm":     "http://127.0.0.1:8000/v1/chat/completions",
	}
	keys := config.ProviderKeys()
	for _, k := range makers() {
		m, err := Connect(k.name, "m", &settings.Settings{})
		if err != nil {
			t.Errorf("%s: %v", k.name, err)
			continue
		}
		if u, err := url.Parse(m.URL()); err != nil || u.Host == "" ||
			urls[k.name] != "" && urls[k.name] != m.URL() {
			t.Errorf("%s is asked at %s", k.name, m.URL())
		}
		if !slices.Contains(keys, k.keyEnv) || k.tokenEnv != "" && !slices.Contains(keys, k.tokenEnv) {
			t.Errorf("a command is given the key of %s", k.name)
		}
		if _, err := m.Unlock(&settings.Settings{}); (err == nil) != k.keyless {
			t.Errorf("%s without a key: %v", k.name, err)
		}
		t.Setenv(k.keyEnv, "sk-test-1234")
		m, err = m.Unlock(&settings.Settings{})
		if h := m.Headers(); err != nil || m.Local() != k.keyless || (k.keyHeader != "") !=
			(h.Get("Api-Key") == "sk-test-1234") || len(h) == 0 {
			t.Errorf("%s: %v %v", k.name, err, h)
		}
		t.Setenv(k.keyEnv, "")
	}
}

// TestMissingAddress: an address that needs a variable says which.
func TestMissingAddress(t *testing.T) {
	alone(t)
	for name, env := range map[string]string{"azure": "AZURE_OPENAI_ENDPOINT",
		"bedrock": "AWS_REGION",
		"vertex":  "GOOGLE_CLOUD_LOCATION"} {
		t.Setenv(env, "")
		if _, err := Connect(name, "m", &settings.Settings{}); err == nil ||
			!strings.Contains(err.Error(), env) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestMaker: what differs goes with the address, and only then with the name.
func TestMaker(t *testing.T) {
	for _, c := range []struct{ provider, base, want string }{
		{"mine", "https://api.mistral.ai/v1", "mistral"},
		{"mistral", "http://127.0.0.1:1", "mistral"},
		{"openai-chat", "https://api.openai.com/v1", "openai"},
		{"openai-chat", "http://127.0.0.1:1", "openai-chat"},
		{"mine", "https://x.openai.azure.com/openai/v1", "azure"},
		{"mine", "http://127.0.0.1:1/openai/deployments/d?api-version=1", "azure-classic"},
		{"mine", "http://127.0.0.1:1/v1", ""},
	} {
		if got := (Model{Provider: c.provider, Base: c.base}).maker().name; got != c.want {
			t.Errorf("%s at %s: %q", c.provider, c.base, got)
		}
	}
}
