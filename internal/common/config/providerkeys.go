package config

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"ua/internal/common/secret"
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
	names := slices.Clone(secret.ModelKeys)
	var settings struct {
		Provider map[string]struct {
			KeyEnv string `toml:"api_key_env"`
		} `toml:"provider"`
	}
	text, err := Read(path)
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

// WithoutKeys returns env, in the form of os.Environ, without the variables that SplitKeys
// takes for keys.
func WithoutKeys(env []string) []string {
	kept, _ := SplitKeys(env)
	return kept
}

// SplitKeys parts env, in the form of os.Environ: keys are the variables of ProviderKeys and
// those whose name ends in _API_KEY.
func SplitKeys(env []string) (kept, keys []string) {
	names := ProviderKeys()
	for _, variable := range env {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasSuffix(name, "_API_KEY") || slices.Contains(names, name) {
			keys = append(keys, variable)
		} else {
			kept = append(kept, variable)
		}
	}
	return kept, keys
}

// TakeKeys returns the keys in the environment of this process, and removes them from it.
// What is started later has them only if it is given them.
func TakeKeys() (keys []string) {
	_, keys = SplitKeys(os.Environ())
	for _, variable := range keys {
		name, _, _ := strings.Cut(variable, "=")
		os.Unsetenv(name)
	}
	return keys
}

// LendKeys returns the reading end of a pipe that holds the keys, for a program that seldom
// needs them and reads them with ReadKeys.
func LendKeys(keys []string) (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	go func() { // a pipe may have room for 4 KiB only (pipe(7))
		defer w.Close()
		io.WriteString(w, strings.Join(keys, "\x00"))
	}()
	return r, nil
}

// ReadKeys reads from descriptor fd what LendKeys wrote, and closes it.
func ReadKeys(fd int) (keys []string, err error) {
	f := os.NewFile(uintptr(fd), fmt.Sprintf("descriptor %d", fd))
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, FileMax))
	if err != nil || len(text) == 0 {
		return nil, err
	}
	return strings.Split(string(text), "\x00"), nil
}
