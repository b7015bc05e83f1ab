// Package settings holds what ua-think reads from the user's settings (ua-config(5)).
package settings

import (
	"cmp"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"ua/cmd/ua-think/internal/usage"
	"ua/internal/common/config"
	"ua/internal/common/prog"
)

// Settings holds the tables that ua-think knows.
type Settings struct {
	Think    Think                  `toml:"think"`
	Provider map[string]Provider    `toml:"provider"`
	Alias    map[string]string      `toml:"alias"`
	Price    map[string]usage.Price `toml:"price"`
}

// Think is the table [think]: the defaults of options.
type Think struct {
	Model         string          `toml:"model"`
	Fallback      []string        `toml:"fallback"`
	Effort        config.Effort   `toml:"effort"`
	Thinking      int             `toml:"thinking"` // -1: the model decides
	MaxTokens     int             `toml:"max_tokens"`
	ContextTokens int             `toml:"context_tokens"`
	BudgetTokens  int64           `toml:"budget_tokens"`
	BudgetUSD     float64         `toml:"budget_usd"`
	Retries       int             `toml:"retries"`
	MaxWait       config.Duration `toml:"max_wait"`
	Connect       config.Duration `toml:"connect_timeout"`
	First         config.Duration `toml:"first_timeout"`
	Idle          config.Duration `toml:"idle_timeout"`
	Total         config.Duration `toml:"timeout"`
	MaxEvent      int             `toml:"max_event"`
	MaxText       int             `toml:"max_text"`
}

// Default returns what holds without a file of settings (ua-think(1)).
func Default() *Settings {
	return &Settings{Think: Think{
		Thinking: -1, Retries: 4, MaxWait: config.Duration(time.Minute),
		Connect: config.Duration(10 * time.Second), Idle: config.Duration(time.Minute),
		Total: config.Duration(10 * time.Minute), MaxEvent: maxEvent, MaxText: maxText,
	}}
}

// The limits of an answer in bytes, also where the settings say 0. A call's input of 10 MiB may
// come as one event.
const (
	maxEvent = 16 << 20
	maxText  = 10 << 20
)

// A Provider is a table [provider.NAME].
type Provider struct {
	API     string            `toml:"api"`
	BaseURL string            `toml:"base_url"`
	KeyEnv  string            `toml:"api_key_env"`
	KeyCmd  string            `toml:"api_key_cmd"`
	Key     string            `toml:"api_key"`
	Header  map[string]string `toml:"header"`
	NumCtx  int               `toml:"num_ctx"` // Ollama: tokens of context, 0: what it needs
	Vision  *bool             `toml:"vision"`  // false: its models take no images
}

// Load reads the settings. It refuses a file that holds a key and can be read by others
// (mode bits 077).
func Load() (*Settings, error) {
	s := Default()
	if err := config.Load(s); err != nil {
		return nil, err
	}
	s.Think.MaxEvent = cmp.Or(s.Think.MaxEvent, maxEvent)
	s.Think.MaxText = cmp.Or(s.Think.MaxText, maxText)
	for _, name := range s.Providers() {
		p := s.Provider[name]
		if p.Key == "" && !secretHeader(p.Header) {
			continue
		}
		info, err := os.Stat(config.Path())
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			return nil, prog.Errorf(prog.Trouble, "%s holds a key of %s and can be read by others",
				config.Path(), name).Hintf("chmod 600 %s, or use api_key_cmd", config.Path())
		}
	}
	return s, nil
}

// secretHeader reports whether a header is likely to hold a key, judged by its name.
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

// Providers returns the names of the providers in the settings, sorted.
func (s *Settings) Providers() []string {
	return slices.Sorted(maps.Keys(s.Provider))
}
