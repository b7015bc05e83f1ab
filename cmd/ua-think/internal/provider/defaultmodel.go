package provider

import (
	"net/url"
	"os"
	"slices"
	"strings"

	"ua/cmd/ua-think/internal/settings"
	"ua/internal/common/prog"
)

// Default returns the spec of the model to ask, as --model takes it: the first of wanted
// that is not "" or else a default for the key that the environment holds.
func Default(wanted ...string) (string, error) {
	for _, spec := range wanted {
		if spec != "" {
			return spec, nil
		}
	}
	bare := "" // a provider that is in use but has no model of ours
	for _, k := range makers() {
		if env := k.elsewhere(); env != "" {
			return "", prog.Errorf(prog.Trouble, "%s is set, but no model is named", env).
				Hintf("name one of that server's models: --model %s/NAME (ua models lists them)",
					apiOf(k.api).older)
		}
		switch {
		case !k.inUse():
		case k.model != "":
			return k.preferred(), nil
		case bare == "":
			bare = k.name
		}
	}
	if bare != "" {
		return "", prog.Errorf(prog.Trouble, "%s is set up, but no model is named", bare).
			Hintf("ua models %s lists them; then: -m %s/NAME, or model in [think] of the config",
				bare, bare)
	}
	return "", prog.Errorf(prog.Trouble, "no model is set").
		Hintf("the shortest ways: ua keys set anthropic (or openai, gemini, openrouter ...); " +
			"export ANTHROPIC_API_KEY=KEY; or a local model: ua -m ollama/NAME, ua -m lmstudio")
}

// preferred returns the spec of the provider's default model.
func (k maker) preferred() string { return k.name + "/" + k.model }

// elsewhere returns the variable that names another server than the provider's own, which
// serves its older API alone, with models of its own. It is "" if there is none.
func (k maker) elsewhere() string {
	own, err := url.Parse(k.base)
	base := os.Getenv(k.baseEnv)
	if apiOf(k.api).older == "" || base == "" || err != nil || strings.Contains(base, "//"+own.Host) {
		return ""
	}
	return k.baseEnv
}

// Reachable returns the names of the providers in the settings and of those whose key or
// address is in the environment.
func Reachable(cfg *settings.Settings) (names []string) {
	for _, k := range makers() {
		if k.inUse() {
			names = append(names, k.name)
		}
	}
	for _, name := range cfg.Providers() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for i := range apis {
		if older := apis[i].older; older != "" && slices.Contains(names, older) {
			names = slices.DeleteFunc(names, func(n string) bool { return n == apis[i].Name })
		}
	}
	return names
}

// Resolve reads a spec: an alias, PROVIDER/NAME, exec:CMD, replay:FILE or a well-known
// name without its provider; a provider's name alone is its default model, or the one that
// its server has loaded (Loaded). The model has no key yet (Unlock).
func Resolve(spec string, cfg *settings.Settings) (Model, error) {
	if to, ok := cfg.Alias[spec]; ok {
		spec = to
	}
	for _, kind := range []string{Replay, Exec} {
		if rest, ok := strings.CutPrefix(spec, kind+":"); ok && rest != "" {
			return Model{Provider: kind, API: kind, Name: rest}, nil
		}
	}
	provider, name, ok := strings.Cut(spec, "/")
	if _, own := cfg.Provider[spec]; !ok && (own || makerNamed(spec).name != "") {
		return Connect(spec, makerNamed(spec).model, cfg)
	}
	if !ok {
		provider, name = ownerOf(spec), spec
	}
	if provider == "" || name == "" {
		return Model{}, prog.Errorf(prog.Trouble, "model %q names no provider", spec).
			Hintf("write PROVIDER/NAME, such as %s", makers()[0].preferred())
	}
	return Connect(provider, name, cfg)
}

// ownerOf returns the provider of a model with a well-known name, or "".
func ownerOf(name string) string {
	for _, k := range makers() {
		if slices.ContainsFunc(k.prefixes, func(p string) bool { return strings.HasPrefix(name, p) }) {
			return k.name
		}
	}
	return ""
}
