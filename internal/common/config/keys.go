package config

import (
	"slices"
	"strings"
)

// ProviderKeys returns the names of the environment variables that may hold a key of
// a model provider: those that ua-think reads by itself, and for each
// [provider.NAME] of the settings its api_key_env and NAME_API_KEY. Only
// ua-think, and what starts it, needs their values; every other program is
// started without them. Settings that can't be read name no further variables:
// no program of ours can take a key through them either.
func ProviderKeys() []string {
	return providerKeys(Path())
}

func providerKeys(path string) []string {
	names := []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_API_KEY",
		"OLLAMA_API_KEY"}
	var settings struct {
		Provider map[string]struct {
			KeyEnv string `toml:"api_key_env"`
		} `toml:"provider"`
	}
	text, err := read(path)
	if err == nil {
		_, err = Decode(string(text), &settings)
	}
	if err != nil {
		return names
	}
	for provider, p := range settings.Provider {
		names = append(names, KeyVariable(provider))
		if p.KeyEnv != "" {
			names = append(names, p.KeyEnv)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// KeyVariable returns the name of the environment variable that holds a provider's
// key unless its settings name another: OPENROUTER_API_KEY for "openrouter".
func KeyVariable(provider string) string {
	return strings.ToUpper(strings.ReplaceAll(provider, "-", "_")) + "_API_KEY"
}

// WithoutKeys returns env, as os.Environ gives it, without the variables that
// ProviderKeys names and without any whose name ends in _API_KEY.
func WithoutKeys(env []string) (kept []string) {
	names := ProviderKeys()
	for _, variable := range env {
		name, _, _ := strings.Cut(variable, "=")
		if !strings.HasSuffix(name, "_API_KEY") && !slices.Contains(names, name) {
			kept = append(kept, variable)
		}
	}
	return kept
}
