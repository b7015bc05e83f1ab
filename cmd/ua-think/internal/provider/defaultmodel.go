package provider

import (
	"os"
	"slices"
	"strings"

	"ua/cmd/ua-think/internal/settings"
	"ua/internal/common/prog"
)

// The default models, used when nothing but a key says which provider to ask. They are
// the providers' middle models as of 2026-11.
const (
	defaultAnthropic = "claude-sonnet-5-5"
	defaultOpenAI    = "gpt-6.1-sol"
)

// Default returns the spec of the model to ask, as --model takes it: the first of wanted
// that is not "" or else a default for the key that the environment holds.
func Default(wanted ...string) (string, error) {
	for _, spec := range wanted {
		if spec != "" {
			return spec, nil
		}
	}
	if os.Getenv("ANTHROPIC_API_KEY") != "" || os.Getenv("ANTHROPIC_AUTH_TOKEN") != "" {
		return "anthropic/" + defaultAnthropic, nil
	}
	base := os.Getenv("OPENAI_BASE_URL")
	if base != "" && !strings.Contains(base, "//api.openai.com") {
		return "", prog.Errorf(prog.Trouble, "OPENAI_BASE_URL is set, but no model is named").
			Hintf("name one of that server's models: --model openai-chat/NAME (ua-think models lists them)")
	}
	if os.Getenv("OPENAI_API_KEY") != "" {
		return "openai/" + defaultOpenAI, nil
	}
	return "", prog.Errorf(prog.Trouble, "there is no model to ask").
		Hintf("set ANTHROPIC_API_KEY or OPENAI_API_KEY, or name a local model: " +
			"--model ollama/NAME; ua-think(1) has other ways")
}

// Reachable returns the names of the providers in the settings and of those whose key or
// address is in the environment.
func Reachable(cfg *settings.Settings) (names []string) {
	for _, p := range []struct{ name, env string }{
		{"anthropic", "ANTHROPIC_API_KEY"}, {"anthropic", "ANTHROPIC_AUTH_TOKEN"},
		{"openai", "OPENAI_API_KEY"}, {"openai-chat", "OPENAI_BASE_URL"}, {"ollama", "OLLAMA_HOST"},
	} {
		if os.Getenv(p.env) != "" && !slices.Contains(names, p.name) {
			names = append(names, p.name)
		}
	}
	for _, name := range cfg.Providers() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if slices.Contains(names, "openai-chat") {
		names = slices.DeleteFunc(names, func(n string) bool { return n == "openai" })
	}
	return names
}
