package provider

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"ua/cmd/ua-think/internal/failure"
	"ua/cmd/ua-think/internal/keystore"
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
	known := makerNamed(m.Provider)
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
	default:
		key, err := keystore.Key(m.Provider)
		if err != nil {
			return m, err
		}
		m.Key = key
	}
	if m.Key = strings.TrimSpace(m.Key); strings.ContainsAny(m.Key, "\r\n\x00") {
		return m, prog.Errorf(prog.Trouble, "the key of %s contains a line break", m.Provider)
	}
	// A server of the user's own may need no key.
	if own, _ := known.url(m.Name); m.Key == "" && m.Base == own && !known.keyless {
		return m, prog.Errorf(prog.Trouble, "there is no key for %s", m.Provider).
			Hintf("set %s, or: ua keys set %s, or api_key_cmd in [provider.%s] of the config",
				m.keyEnv, m.Provider, m.Provider)
	}
	return m, nil
}

// HasKey reports whether there is a key for m's provider. It runs no command.
func (m Model) HasKey(cfg *settings.Settings) bool { return KeyPlace(m.Provider, cfg) != "" }

// KeyPlace returns in words where the key of a provider is taken from, "" if there is none.
// It runs no command.
func KeyPlace(provider string, cfg *settings.Settings) string {
	p, known, env := cfg.Provider[provider], makerNamed(provider), keyVariable(provider, cfg)
	switch {
	case p.Key != "":
		return "settings"
	case p.KeyCmd != "":
		return "command"
	case os.Getenv(env) != "":
		return "variable " + env
	case os.Getenv(known.tokenEnv) != "":
		return "variable " + known.tokenEnv
	}
	return keystore.Place(provider)
}

// keyVariable returns the environment variable for the key of a provider.
func keyVariable(provider string, cfg *settings.Settings) string {
	if env := cfg.Provider[provider].KeyEnv; env != "" {
		return env
	}
	if env := makerNamed(provider).keyEnv; env != "" {
		return env
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
		f.Hint = "the provider rejected this key: check " + m.keyEnv +
			", ua keys, or api_key_cmd in the config"
	}
	if len(m.Key) >= 8 {
		f.Msg = strings.ReplaceAll(f.Msg, m.Key, "[key]")
	}
}

// bearer sets the key as most APIs take it (RFC 6750), and in a header of the provider's own.
func bearer(h http.Header, m Model) {
	if m.Key == "" {
		return
	}
	h.Set("Authorization", "Bearer "+m.Key)
	if own := m.maker().keyHeader; own != "" {
		h.Set(own, m.Key)
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
