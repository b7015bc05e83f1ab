package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"time"

	"ua/internal/common/config"
	"ua/internal/common/prog"
)

// settings is what ua-think reads of the config (ua-config(5)).
type settings struct {
	Think struct {
		Model        string          `toml:"model"`
		Fallback     []string        `toml:"fallback"`
		Effort       string          `toml:"effort"`
		Thinking     *int            `toml:"thinking"`
		MaxTokens    int             `toml:"max_tokens"`
		BudgetTokens int64           `toml:"budget_tokens"`
		BudgetUSD    float64         `toml:"budget_usd"`
		Retries      *int            `toml:"retries"`
		MaxWait      config.Duration `toml:"max_wait"`
		Connect      config.Duration `toml:"connect_timeout"`
		First        config.Duration `toml:"first_timeout"`
		Idle         config.Duration `toml:"idle_timeout"`
		Total        config.Duration `toml:"timeout"`
		MaxEvent     int             `toml:"max_event"`
		MaxText      int             `toml:"max_text"`
	} `toml:"think"`
	Provider map[string]provider `toml:"provider"`
	Alias    map[string]string   `toml:"alias"`
	Price    map[string]price    `toml:"price"`
}

// A provider is one [provider.NAME] of the config.
type provider struct {
	API     string            `toml:"api"`
	BaseURL string            `toml:"base_url"`
	KeyEnv  string            `toml:"api_key_env"`
	KeyCmd  string            `toml:"api_key_cmd"`
	Key     string            `toml:"api_key"`
	Header  map[string]string `toml:"header"`
}

// loadSettings reads the config. A file that holds a key must be its owner's
// alone.
func loadSettings() (*settings, error) {
	s := new(settings)
	if err := config.Load(s); err != nil {
		return nil, err
	}
	for name, p := range s.Provider {
		if p.Key == "" && !secretHeader(p.Header) {
			continue
		}
		info, err := os.Stat(config.Path())
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			return nil, prog.Errorf(prog.Trouble, "%s holds a key of %s and can be read by others", config.Path(), name).
				Hintf("chmod 600 %s, or use api_key_cmd", config.Path())
		}
	}
	return s, nil
}

// secretHeader says whether a header may hold a key.
func secretHeader(header map[string]string) bool {
	for name := range header {
		low := strings.ToLower(name)
		for _, word := range []string{"auth", "key", "token", "secret", "cookie"} {
			if strings.Contains(low, word) {
				return true
			}
		}
	}
	return false
}

// unlock gives m its key: from the provider's settings or the environment.
func (s *settings) unlock(m model) (model, error) {
	if m.base == "" {
		return m, nil
	}
	p := s.Provider[m.provider]
	known, _ := apis(m.provider)
	env := p.KeyEnv
	if env == "" {
		env = known.keyEnv
	}
	if env == "" {
		env = config.KeyVariable(m.provider)
	}
	switch {
	case p.Key != "":
		m.key = p.Key
	case p.KeyCmd != "":
		out, err := keyCmd(p.KeyCmd)
		if err != nil {
			return m, prog.Errorf(prog.Trouble, "api_key_cmd of %s: %v", m.provider, err)
		}
		m.key = out
	case os.Getenv(env) != "":
		m.key = os.Getenv(env)
	case m.provider == "anthropic" && os.Getenv("ANTHROPIC_AUTH_TOKEN") != "":
		m.key, m.bearer = os.Getenv("ANTHROPIC_AUTH_TOKEN"), true
	}
	if m.key = strings.TrimSpace(m.key); strings.ContainsAny(m.key, "\r\n\x00") {
		return m, prog.Errorf(prog.Trouble, "the key of %s holds a line break", m.provider)
	}
	if m.key == "" && m.base == known.base && m.api != "ollama" {
		return m, prog.Errorf(prog.Trouble, "there is no key for %s", m.provider).Hintf("set %s, or api_key_cmd in [provider.%s] of the config", env, m.provider)
	}
	return m, nil
}

// keyCmd runs a command that prints a key. No key stands in its environment.
func keyCmd(cmd string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, "/bin/sh", "-c", cmd)
	c.Env = config.WithoutKeys(os.Environ())
	c.Stderr = os.Stderr
	out, err := c.Output()
	return strings.TrimSpace(string(out)), err
}
