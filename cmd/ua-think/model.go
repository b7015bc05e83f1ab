package main

import (
	"net/url"
	"os"
	"slices"
	"strings"

	"ua/internal/common/prog"
)

// A model is a model of a provider, ready to be asked.
type model struct {
	provider string // as the user names it
	name     string // as the provider names it; for replay and exec the rest of the spec
	api      string // anthropic, openai, openai-chat, ollama, replay or exec
	base     string // URL
	key      string
	bearer   bool // the key goes into Authorization (Anthropic's own header otherwise)
	header   map[string]string
}

// spec is the model as --model takes it.
func (m model) spec() string {
	if m.api == "replay" || m.api == "exec" {
		return m.api + ":" + m.name
	}
	return m.provider + "/" + m.name
}

// said says whether p comes from this model's provider: only that one can read
// the signatures and sealed thoughts in it.
func (m model) said(p part) bool {
	who, _, _ := strings.Cut(p.model, "/")
	return who == m.provider
}

// An api is what ua-think knows of one API by itself.
type api struct {
	base    string // default base URL
	baseEnv string // variable with another one
	keyEnv  string // variable with the key
}

// apis is the table of the built-in providers, each named like its API.
func apis(name string) (api, bool) {
	switch name {
	case "anthropic":
		return api{"https://api.anthropic.com", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"}, true
	case "openai", "openai-chat":
		return api{"https://api.openai.com/v1", "OPENAI_BASE_URL", "OPENAI_API_KEY"}, true
	case "ollama":
		return api{"http://127.0.0.1:11434", "OLLAMA_HOST", "OLLAMA_API_KEY"}, true
	}
	return api{}, false
}

// Default models, used when only a key says which provider to take. They are
// the providers' middle models as of 2026-11.
const (
	defaultAnthropic = "claude-sonnet-5-5"
	defaultOpenAI    = "gpt-6.1-sol"
)

// pick is the model that the user wants: the option, UA_MODEL, the settings, or
// what the keys in the environment allow.
func pick(option string, cfg *settings) (string, error) {
	for _, spec := range []string{option, os.Getenv("UA_MODEL"), cfg.Think.Model} {
		if spec != "" {
			return spec, nil
		}
	}
	if os.Getenv("ANTHROPIC_API_KEY") != "" || os.Getenv("ANTHROPIC_AUTH_TOKEN") != "" {
		return "anthropic/" + defaultAnthropic, nil
	}
	if base := os.Getenv("OPENAI_BASE_URL"); base != "" && !strings.Contains(base, "//api.openai.com") {
		return "", prog.Errorf(prog.Trouble, "OPENAI_BASE_URL is set, but no model").
			Hintf("name one of that server: --model openai-chat/NAME (ua-think models lists them)")
	}
	if os.Getenv("OPENAI_API_KEY") != "" {
		return "openai/" + defaultOpenAI, nil
	}
	return "", prog.Errorf(prog.Trouble, "there is no model to ask").
		Hintf("three ways to get one: set ANTHROPIC_API_KEY or OPENAI_API_KEY; run a local model and name it (--model ollama/NAME, or OPENAI_BASE_URL=http://127.0.0.1:8080/v1 and --model openai-chat/NAME); or name any with --model, UA_MODEL or [think] model in the config")
}

// resolve reads a spec: an alias, PROVIDER/NAME, exec:CMD or replay:FILE. A
// well-known name goes without its provider.
func resolve(spec string, cfg *settings) (model, error) {
	if to, ok := cfg.Alias[spec]; ok {
		spec = to
	}
	for _, kind := range []string{"replay", "exec"} {
		if rest, ok := strings.CutPrefix(spec, kind+":"); ok && rest != "" {
			return model{provider: kind, api: kind, name: rest}, nil
		}
	}
	provider, name, ok := strings.Cut(spec, "/")
	if !ok {
		switch provider, name = "", spec; {
		case strings.HasPrefix(name, "claude-"):
			provider = "anthropic"
		case strings.HasPrefix(name, "gpt-"), strings.HasPrefix(name, "o3"), strings.HasPrefix(name, "o4"):
			provider = "openai"
		}
	}
	if provider == "" || name == "" {
		return model{}, prog.Errorf(prog.Trouble, "model %q names no provider", spec).Hintf("write PROVIDER/NAME, such as anthropic/%s", defaultAnthropic)
	}
	return connect(provider, name, cfg)
}

// connect finds a provider's API and base URL.
func connect(provider, name string, cfg *settings) (model, error) {
	p := cfg.Provider[provider]
	m := model{provider: provider, name: name, api: p.API, base: p.BaseURL, header: p.Header}
	known, builtin := apis(provider)
	if m.api == "" {
		if m.api = "openai-chat"; builtin {
			m.api = provider
		}
	}
	if _, ok := apis(m.api); !ok {
		return m, prog.Errorf(prog.Trouble, "provider %q: unknown api %q", provider, m.api).Hintf("anthropic, openai, openai-chat or ollama")
	}
	if env := os.Getenv(known.baseEnv); m.base == "" && builtin && env != "" {
		m.base = env
	}
	if m.base == "" {
		m.base = known.base
	}
	if m.base == "" {
		e := prog.Errorf(prog.Trouble, "unknown provider %q", provider)
		if near := prog.Nearest(provider, append(cfg.providers(), "anthropic", "openai", "openai-chat", "ollama")); near != "" {
			return m, e.Hintf("did you mean %s? Others need base_url in [provider.%s] of the config", near, provider)
		}
		return m, e.Hintf("give it base_url in [provider.%s] of the config", provider)
	}
	if m.api == "ollama" {
		m.base = ollamaBase(m.base)
	}
	if u, err := url.Parse(m.base); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return m, prog.Errorf(prog.Trouble, "base URL %q of %s is no http URL", m.base, provider)
	}
	return m, nil
}

// ollamaBase is OLLAMA_HOST as a URL: scheme and port may be left out.
func ollamaBase(host string) string {
	if !strings.Contains(host, "://") {
		host = "http://" + host
	}
	u, err := url.Parse(host)
	if err != nil {
		return host
	}
	if u.Port() == "" && u.Scheme == "http" {
		u.Host += ":11434"
	}
	if u.Hostname() == "0.0.0.0" {
		u.Host = "127.0.0.1:" + u.Port()
	}
	return u.String()
}

func (s *settings) providers() (names []string) {
	for name := range s.Provider {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
