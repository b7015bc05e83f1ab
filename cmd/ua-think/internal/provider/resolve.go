package provider

import (
	"strings"

	"ua/cmd/ua-think/internal/settings"
	"ua/internal/common/prog"
)

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
