package provider

import (
	"os"
	"strings"

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
	known := makerNamed(m.Provider)
	place, read := keyOf(m.Provider, cfg)
	key, err := read()
	if err != nil {
		return m, err
	}
	m.Bearer = place == variable+known.tokenEnv && known.tokenEnv != m.keyEnv
	if m.Key = strings.TrimSpace(key); strings.ContainsAny(m.Key, "\r\n\x00") {
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
	place, _ := keyOf(provider, cfg)
	return place
}

// variable begins the place of a key in the environment.
const variable = "variable "

// keyOf returns the place of a provider's key, and what reads it there: the first that has one
// of the settings, the environment and the keys that are stored.
func keyOf(provider string, cfg *settings.Settings) (place string, read func() (string, error)) {
	p := cfg.Provider[provider]
	switch {
	case p.Key != "":
		return "settings", func() (string, error) { return p.Key, nil }
	case p.KeyCmd != "":
		return "command", func() (string, error) {
			key, err := keystore.Output("", os.Stderr, "/bin/sh", "-c", p.KeyCmd)
			if err != nil {
				err = prog.Errorf(prog.Trouble, "api_key_cmd of %s: %v", provider, err)
			}
			return key, err
		}
	}
	for _, env := range []string{keyVariable(provider, cfg), makerNamed(provider).tokenEnv} {
		if key := os.Getenv(env); key != "" {
			return variable + env, func() (string, error) { return key, nil }
		}
	}
	return keystore.Place(provider), func() (string, error) { return keystore.Key(provider) }
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

// Explain adds to f where to look when the provider refuses a key, and hides the key.
func (m Model) Explain(f *failure.Failure) {
	if f.BadKey {
		f.Hint = "the provider rejected this key: check " + m.keyEnv +
			", ua keys, or api_key_cmd in the config"
	}
	f.Msg = m.Hide(f.Msg)
}

// Hide removes the key from text that came from outside. A key of fewer than 8 bytes, as for
// servers that need none, is no secret, and too likely to be an ordinary word.
func (m Model) Hide(text string) string {
	if len(m.Key) < 8 {
		return text
	}
	return strings.ReplaceAll(text, m.Key, "[key]")
}
