package settings

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestLoad reads the tables, and refuses keys that others can read.
func TestLoad(t *testing.T) {
	const key = "[provider.own]\napi_key = \"sk-1\"\n"
	for name, c := range map[string]struct {
		text  string
		mode  os.FileMode
		wrong string
	}{
		"nothing":       {"", 0o644, ""},
		"a provider":    {"[provider.own]\nbase_url = \"http://localhost\"\n", 0o644, ""},
		"a key":         {key, 0o600, ""},
		"a key, group":  {key, 0o640, "holds a key of own and can be read by others"},
		"a key, others": {key, 0o604, "can be read by others"},
		"a header":      {"[provider.own.header]\nX-Team = \"a\"\n", 0o644, ""},
		"a secret header": {"[provider.own.header]\nX-Auth-Token = \"a\"\n", 0o644,
			"can be read by others"},
		"a cookie": {"[provider.own.header]\ncookie = \"a\"\n", 0o644,
			"can be read by others"},
		"a command for a key":   {"[provider.own]\napi_key_cmd = \"pass show\"\n", 0o644, ""},
		"another type":          {"[think]\nmax_tokens = \"many\"\n", 0o600, "config.toml:2"},
		"an unknown effort":     {"[think]\neffort = \"huge\"\n", 0o600, "config.toml:2"},
		"a duration of no unit": {"[think]\ntimeout = \"5\"\n", 0o600, "config.toml:2"},
	} {
		dir := t.TempDir()
		t.Setenv("XDG_CONFIG_HOME", dir)
		path := filepath.Join(dir, "ua", "config.toml")
		os.Mkdir(filepath.Dir(path), 0o700)
		os.WriteFile(path, []byte(c.text), 0o600)
		os.Chmod(path, c.mode)
		if _, err := Load(); (err == nil) != (c.wrong == "") || err != nil &&
			!strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestValues: what is not said is told from what is 0.
func TestValues(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	if s, err := Load(); err != nil || s.Think.Retries != 4 || len(s.Providers()) != 0 {
		t.Errorf("no file: %+v, %v", s, err)
	}
	os.Mkdir(filepath.Join(dir, "ua"), 0o700)
	os.WriteFile(filepath.Join(dir, "ua", "config.toml"), []byte(`[think]
retries = 0
idle_timeout = "90s"
fallback = ["b", "c"]
[provider.two]
vision = false
[provider.one]
num_ctx = 4096
[alias]
fast = "openai/mini"
[price."own/*"]
input = 1.5
`), 0o600)
	s, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	if s.Think.Retries != 0 || s.Think.Thinking != -1 ||
		time.Duration(s.Think.Idle) != 90*time.Second || !slices.Equal(s.Think.Fallback, []string{"b",
		"c"}) {
		t.Errorf("%+v", s.Think)
	}
	if !slices.Equal(s.Providers(), []string{"one", "two"}) || s.Provider["one"].Vision != nil ||
		s.Provider["two"].Vision == nil || s.Provider["one"].NumCtx != 4096 {
		t.Errorf("%+v", s.Provider)
	}
	if s.Alias["fast"] != "openai/mini" || s.Price["own/*"].Input != 1.5 {
		t.Errorf("%+v %+v", s.Alias, s.Price)
	}
}
