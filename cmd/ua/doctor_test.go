package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// TestDoctor holds that doctor's status and words follow what is wrong, one thing at
// a time, and that it never shows the key.
func TestDoctor(t *testing.T) {
	const key = "sk-ant-doctor-0123456789"
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/models" || r.Header.Get("x-api-key") != key {
			w.WriteHeader(401)
			w.Write([]byte(`{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}`))
			return
		}
		w.Write([]byte(`{"data":[{"type":"model","id":"one"},{"type":"model","id":"two"}],"has_more":false}`))
	}))
	defer provider.Close()
	with := func(extra ...string) *place {
		p := newPlace(t, os.Getuid())
		p.env = append(p.env[:3:3], "UA_MODEL=anthropic/one", "ANTHROPIC_BASE_URL="+provider.URL,
			"ANTHROPIC_API_KEY="+key)
		p.env = append(p.env, extra...)
		return p
	}
	settings := func(p *place, text string, mode os.FileMode) {
		t.Helper()
		path := filepath.Join(p.home, ".config/ua/config.toml")
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		os.Chmod(path, mode)
	}
	for _, c := range []struct {
		name   string
		p      *place
		before func(*place)
		status int
		check  string // of which the state is
		state  string
		words  string
	}{
		{"all is well", with(), nil, 0, "anthropic", "ok", "it offers 2 models"},
		{"a wrong key", with("ANTHROPIC_API_KEY=wrong"), nil, 1, "anthropic", "failed",
			"invalid x-api-key"},
		{"no model", with("UA_MODEL=", "ANTHROPIC_API_KEY="), nil, 1, "model", "failed",
			"there is no model to ask"},
		{"settings that are no TOML", with(), func(p *place) { settings(p, "[ua\n", 0o600) }, 1,
			"settings", "failed", "config.toml:2"},
		{"settings that others may write", with(), func(p *place) { settings(p, "[ua]\n", 0o666) }, 0,
			"settings", "warning", "chmod 600"},
		{"settings that UA_CONFIG names in vain", with("UA_CONFIG=/nonexistent"), nil, 1, "settings",
			"failed", "does not exist"},
		{"no shell", with(), func(p *place) { p.env[1] = "PATH=" + p.bin }, 1, "shells", "failed",
			"neither bash nor sh"},
	} {
		if c.before != nil {
			c.before(c.p)
		}
		cmd := c.p.command("ua", "doctor", "--json")
		out, err := cmd.CombinedOutput()
		if status := cmd.ProcessState.ExitCode(); status != c.status {
			t.Errorf("%s: status %d, want %d (%v)\n%s", c.name, status, c.status, err, out)
		}
		found := gjson.GetBytes(out, `checks.#(name=="`+c.check+`")`)
		if found.Get("state").Str != c.state || !strings.Contains(found.Raw, c.words) {
			t.Errorf("%s: %s\n%s", c.name, found.Raw, out)
		}
		if strings.Contains(string(out), key) {
			t.Errorf("%s: shows the key: %s", c.name, out)
		}
		text, _ := c.p.command("ua", "doctor").CombinedOutput()
		if !strings.Contains(string(text), c.check) || strings.Contains(string(text), "\x1b") {
			t.Errorf("%s: as text: %s", c.name, text)
		}
	}
}
