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
	for i := range apis {
		a := &apis[i]
		if env := a.elsewhere(); env != "" {
			return "", prog.Errorf(prog.Trouble, "%s is set, but no model is named", env).
				Hintf("name one of that server's models: --model %s/NAME (ua-think models lists them)",
					a.older)
		}
		if a.model != "" && a.inUse() {
			return a.preferred(), nil
		}
	}
	return "", prog.Errorf(prog.Trouble, "there is no model to ask").
		Hintf("set ANTHROPIC_API_KEY or OPENAI_API_KEY, or name a local model: " +
			"--model ollama/NAME; ua-think(1) has other ways")
}

// preferred returns the spec of the provider's default model.
func (a *API) preferred() string { return a.Name + "/" + a.model }

// elsewhere returns the variable that names another server than the provider's own, which
// serves its older API alone, with models of its own. It is "" if there is none.
func (a *API) elsewhere() string {
	own, err := url.Parse(a.base)
	base := os.Getenv(a.baseEnv)
	if a.older == "" || base == "" || err != nil || strings.Contains(base, "//"+own.Host) {
		return ""
	}
	return a.baseEnv
}

// Reachable returns the names of the providers in the settings and of those whose key or
// address is in the environment.
func Reachable(cfg *settings.Settings) (names []string) {
	for i := range apis {
		if apis[i].inUse() {
			names = append(names, apis[i].Name)
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
// name without its provider. The model has no key yet (Unlock).
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
	if !ok {
		provider, name = ownerOf(spec), spec
	}
	if provider == "" || name == "" {
		return Model{}, prog.Errorf(prog.Trouble, "model %q names no provider", spec).
			Hintf("write PROVIDER/NAME, such as %s", apis[0].preferred())
	}
	return Connect(provider, name, cfg)
}

// ownerOf returns the provider of a model with a well-known name, or "".
func ownerOf(name string) string {
	for i := range apis {
		for _, prefix := range apis[i].prefixes {
			if strings.HasPrefix(name, prefix) {
				return apis[i].Name
			}
		}
	}
	return ""
}
