package config

import (
	"slices"
	"strings"
)

// ProviderKeys returns the names of the environment variables that may hold a key of a
// model provider: those that ua-think reads by itself, and for each [provider.NAME] of
// the settings its api_key_env and NAME_API_KEY. Only ua-think and the programs that
// start it need their values, and every other program is started without them. Settings
// that cannot be read add no names, since none of our programs can take a key through
// them either.
func ProviderKeys() []string {
	return providerKeys(Path())
}

// providerKeys is ProviderKeys with the settings at path.
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

// KeyVariable returns the name of the environment variable with a provider's key, unless
// the settings name another: OPENROUTER_API_KEY for "openrouter".
func KeyVariable(provider string) string {
	return strings.ToUpper(strings.ReplaceAll(provider, "-", "_")) + "_API_KEY"
}

// WithoutKeys returns env, in the form of os.Environ, without the variables of
// ProviderKeys and without those whose name ends in _API_KEY.
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
