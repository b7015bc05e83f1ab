package provider

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"ua/cmd/ua-think/internal/failure"
	"ua/cmd/ua-think/internal/settings"
	"ua/internal/common/config"
	"ua/internal/common/prog"
)

// Unlock returns m with its key, from the settings of its provider or from the
// environment. It may run the command api_key_cmd. A missing key is an error only at the
// provider's own address: other servers may need none.
func (m Model) Unlock(cfg *settings.Settings) (Model, error) {
	if m.Base == "" {
		return m, nil
	}
	p := cfg.Provider[m.Provider]
	known, _ := apiNamed(m.Provider)
	switch {
	case p.Key != "":
		m.Key = p.Key
	case p.KeyCmd != "":
		out, err := keyFrom(p.KeyCmd)
		if err != nil {
			return m, prog.Errorf(prog.Trouble, "api_key_cmd of %s: %v", m.Provider, err)
		}
		m.Key = out
	case os.Getenv(m.keyEnv) != "":
		m.Key = os.Getenv(m.keyEnv)
	case os.Getenv(known.tokenEnv) != "":
		m.Key, m.Bearer = os.Getenv(known.tokenEnv), true
	}
	if m.Key = strings.TrimSpace(m.Key); strings.ContainsAny(m.Key, "\r\n\x00") {
		return m, prog.Errorf(prog.Trouble, "the key of %s contains a line break", m.Provider)
	}
	// A server of the user's own may need no key.
	if m.Key == "" && m.Base == known.base && !m.row().keyless {
		return m, prog.Errorf(prog.Trouble, "there is no key for %s", m.Provider).
			Hintf("set %s, or api_key_cmd in [provider.%s] of the config", m.keyEnv, m.Provider)
	}
	return m, nil
}

// HasKey reports whether the settings or the environment have a key for m's provider. It
// runs no command.
func (m Model) HasKey(cfg *settings.Settings) bool {
	p := cfg.Provider[m.Provider]
	known, _ := apiNamed(m.Provider)
	return p.Key != "" || p.KeyCmd != "" || os.Getenv(m.keyEnv) != "" ||
		os.Getenv(known.tokenEnv) != ""
}

// keyVariable returns the environment variable for the key of a provider.
func keyVariable(provider string, cfg *settings.Settings) string {
	if env := cfg.Provider[provider].KeyEnv; env != "" {
		return env
	}
	if known, ok := apiNamed(provider); ok {
		return known.keyEnv
	}
	return config.KeyVariable(provider)
}

// keyFrom runs a command that prints a key. No other key is in its environment.
func keyFrom(cmd string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, "/bin/sh", "-c", cmd)
	c.Env = config.OutsideEnv(config.WithoutKeys(os.Environ()))
	var out strings.Builder
	c.Stdout, c.Stderr = &out, os.Stderr
	err := c.Run()
	return strings.TrimSpace(out.String()), err
}

// Explain adds to f where to look when the provider refuses a key, and removes the key
// from text that came from outside. A key of a few letters, as for servers that need
// none, is no secret.
func (m Model) Explain(f *failure.Failure) {
	if f.BadKey {
		f.Hint = "the provider refuses this key: check " + m.keyEnv +
			", or api_key_cmd in the config"
	}
	if len(m.Key) >= 8 {
		f.Msg = strings.ReplaceAll(f.Msg, m.Key, "[key]")
	}
}

// bearer sets the key as most APIs take it (RFC 6750), and Azure.
func bearer(h http.Header, m Model) {
	if m.Key == "" {
		return
	}
	h.Set("Authorization", "Bearer "+m.Key)
	if strings.Contains(m.Base, ".azure.com") || strings.Contains(m.Base, "/openai/deployments/") {
		h.Set("Api-Key", m.Key)
	}
}

// anthropicHeaders sets the version of the API and the key.
func anthropicHeaders(h http.Header, m Model) {
	h.Set("Anthropic-Version", "2023-06-01")
	switch {
	case m.Key == "":
	case m.Bearer:
		bearer(h, m)
	default:
		h.Set("X-Api-Key", m.Key)
	}
}
