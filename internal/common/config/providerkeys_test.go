package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestProviderKeys: every variable that can hold a key is named, and none of
// them is left in an environment without keys.
func TestProviderKeys(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	t.Setenv("UA_CONFIG", path)
	for _, c := range []struct{ text, names string }{
		{"", ""},
		{"[provider.open-router]\nbase_url = \"https://x\"\n", "OPEN_ROUTER_API_KEY"},
		{"[provider.anthropic]\napi_key_env = \"WORK_LLM_SECRET\"\n", "WORK_LLM_SECRET"},
		{"[provider.a]\napi_key_env = \"ONE\"\n[provider.b]\napi_key_cmd = \"x\"\nnew = 1\n",
			"ONE A_API_KEY B_API_KEY"},
		{"[provider.a]\napi_key_env = \n", ""}, // broken: no program takes a key by it
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		names := ProviderKeys()
		want := append(strings.Fields(c.names), "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN",
			"OPENAI_API_KEY", "OLLAMA_API_KEY")
		env := []string{"HOME=/h", "X_API_KEY=k", "ONE_MORE=1"}
		for _, name := range want {
			if !slices.Contains(names, name) {
				t.Errorf("%q: %s is not among %v", c.text, name, names)
			}
			env = append(env, name+"=sk")
		}
		if got := WithoutKeys(env); !slices.Equal(got, []string{"HOME=/h", "ONE_MORE=1"}) {
			t.Errorf("%q: %v", c.text, got)
		}
	}
}

// TestTakeKeys: what is taken is in the environment no more, and nothing else is taken.
func TestTakeKeys(t *testing.T) {
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		t.Setenv(name, value) // so that it comes back
		os.Unsetenv(name)
	}
	t.Setenv("X_API_KEY", "k=1")
	t.Setenv("TICKET", "t")
	t.Setenv("ANTHROPIC_AUTH_TOKEN", "")
	got := TakeKeys()
	slices.Sort(got)
	if !slices.Equal(got, []string{"ANTHROPIC_AUTH_TOKEN=", "X_API_KEY=k=1"}) ||
		!slices.Equal(os.Environ(), []string{"TICKET=t"}) {
		t.Errorf("taken %q, left %q", got, os.Environ())
	}
}

// TestLendKeys: what is lent is what is read, also if it is larger than a pipe.
func TestLendKeys(t *testing.T) {
	for _, keys := range [][]string{nil, {"A_API_KEY=1"}, {"A=1\n2", "B=", "C=" +
		strings.Repeat("x", 1<<20)}} {
		r, err := LendKeys(keys)
		if err != nil {
			t.Fatal(err)
		}
		fd, err := syscall.Dup(int(r.Fd())) // as another process has it
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		if got, err := ReadKeys(fd); err != nil || !slices.Equal(got, keys) {
			t.Errorf("%d lent, %d read, %v", len(keys), len(got), err)
		}
		if syscall.Close(fd) == nil {
			t.Error("the descriptor is still open")
		}
	}
}
