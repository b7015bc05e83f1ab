package provider

import (
	"cmp"
	_ "embed" // the table of providers
	"os"
	"slices"
	"strings"
	"sync"

	"ua/cmd/ua-think/internal/keystore"
	"ua/cmd/ua-think/internal/settings"
	"ua/internal/common/prog"
)

// A maker is a provider that is known without settings. What its servers do otherwise than
// others that speak the same API stands in its row, and nowhere else.
type maker struct {
	name, api string
	base      string // the URL; ${NAME} in it is a variable, ${MODEL} the model's name
	keyEnv    string // the variable with its key

	baseEnv  string   // the variable with another URL, or ""
	tokenEnv string   // the variable with a token that is sent in place of a key, or ""
	keyless  bool     // its servers may want no key
	starts   string   // the command that starts a server on this machine, or ""
	signs    []string // the variables by which it is in use; nil: that of the key
	model    string   // asked if nothing but a key says which: a middle one, as of 2026-11
	prefixes []string // with which the well-known names of its models begin
	loaded   string   // the path of a list that tells which models are loaded, or ""

	at        string // what its addresses contain, by which it is known under other names
	limit     string // the name of the limit on the answer's tokens, "" for max_tokens
	cacheKey  bool   // takes prompt_cache_key
	noOptions bool   // refuses stream_options, and sends the usage without being asked
	shortIDs  bool   // takes IDs of exactly nine letters and digits only
	keyHeader string // takes the key in this header too
}

// providers is the table of providers.
//
//go:embed providers.txt
var providers string

// makers returns the rows of the table, which is read when it is needed first.
var makers = sync.OnceValue(func() (rows []maker) {
	_, text, _ := strings.Cut(providers, "\n\n")
	for row := range strings.Lines(strings.ReplaceAll(text, "\n ", "")) {
		row, starts, _ := strings.Cut(strings.TrimSpace(row), " starts=")
		fields := strings.Fields(row)
		of := map[string]string{}
		for _, field := range fields[1:] {
			name, value, _ := strings.Cut(field, "=")
			of[name] = value
		}
		list := func(name string) (words []string) {
			return append(words, strings.FieldsFunc(of[name], func(r rune) bool { return r == ',' })...)
		}
		rows = append(rows, maker{name: fields[0], api: cmp.Or(of["api"], usualAPI), base: of["base"],
			keyEnv: of["key_env"], baseEnv: of["base_env"], tokenEnv: of["token_env"],
			keyless: of["keyless"] != "", starts: starts, signs: list("signs"), model: of["model"],
			prefixes: list("prefixes"), loaded: of["loaded"], at: of["at"], limit: of["limit"],
			cacheKey: of["cache_key"] != "", noOptions: of["no_options"] != "",
			shortIDs: of["short_ids"] != "", keyHeader: of["key_header"]})
	}
	return rows
})

// makerNamed returns the row of a provider; without one it is empty.
func makerNamed(name string) maker {
	for _, k := range makers() {
		if k.name == name {
			return k
		}
	}
	return maker{}
}

// maker returns the row of whoever made m's server: the one whose address it has, or else
// the one whose name its provider has.
func (m Model) maker() maker {
	for _, k := range makers() {
		if k.at != "" && strings.Contains(m.Base, k.at) {
			return k
		}
	}
	return makerNamed(m.Provider)
}

// url returns the provider's own URL for a model, and the variable that it needs and that is
// not set.
func (k maker) url(model string) (url, missing string) {
	url = os.Expand(k.base, func(name string) string {
		if name == "MODEL" {
			return model
		}
		value := strings.TrimRight(os.Getenv(name), "/")
		if value == "" && missing == "" {
			missing = name
		}
		return value
	})
	return url, missing
}

// inUse reports whether the environment or a stored key says that the provider is in use.
func (k maker) inUse() bool {
	set := func(env string) bool { return os.Getenv(env) != "" }
	return k.signs == nil && set(k.keyEnv) || slices.ContainsFunc(k.signs, set) ||
		keystore.Place(k.name) != ""
}

// Names returns the names of the providers that are known without settings.
func Names() (names []string) {
	for _, k := range makers() {
		names = append(names, k.name)
	}
	return names
}

// unknownProvider returns the error for a provider that has no base URL.
func unknownProvider(name string, cfg *settings.Settings) error {
	e := prog.Errorf(prog.Trouble, "unknown provider %q", name)
	if near := prog.Nearest(name, append(cfg.Providers(), Names()...)); near != "" {
		return e.Hintf("did you mean %s? Others need base_url in [provider.%s] of the config", near,
			name)
	}
	return e.Hintf("give it base_url in [provider.%s] of the config", name)
}
