// Package provider knows the model providers: how models are named and found, and what
// requests and answers look like in each of their APIs.
package provider

import (
	"cmp"
	"encoding/json"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/conversation"
	"ua/cmd/ua-think/internal/settings"
	"ua/internal/common/prog"
)

// Connect returns the model of a provider, with API and base URL but without its key. The
// base URL is taken from the settings, then from the environment, then from the table.
func Connect(provider, name string, cfg *settings.Settings) (Model, error) {
	p := cfg.Provider[provider]
	m := Model{
		Provider: provider, Name: name, API: p.API, Base: p.BaseURL, Header: p.Header,
		NumCtx: p.NumCtx, Blind: p.Vision != nil && !*p.Vision,
		keyEnv: keyVariable(provider, cfg),
	}
	known := makerNamed(provider)
	m.API = cmp.Or(m.API, known.api, usualAPI)
	if m.row().Name == "" {
		return m, prog.Errorf(prog.Trouble, "provider %q: unknown api %q", provider, m.API).
			Hintf("the APIs are %s", strings.Join(apiNames(), ", "))
	}
	m.Base = cmp.Or(m.Base, os.Getenv(known.baseEnv))
	if m.Base == "" && known.base != "" {
		own, missing := known.url(name)
		if m.Base = own; missing != "" {
			return m, prog.Errorf(prog.Trouble, "the address of %s needs %s", provider, missing).
				Hintf("set it, or base_url in [provider.%s] of the config", provider)
		}
	}
	if m.Base == "" {
		return m, unknownProvider(provider, cfg)
	}
	if server := m.row().server; server != nil {
		m.Base = server(m.Base)
	}
	u, err := url.Parse(m.Base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return m, prog.Errorf(prog.Trouble, "base URL %q of %s is not an HTTP URL", m.Base,
			provider)
	}
	return m, nil
}

// Serves reports whether m's provider serves an API, its own or an older one.
func (m Model) Serves(api string) bool {
	row := m.row()
	return api != "" && (row.Name == api || row.older == api)
}

// Starts returns the command that starts a server of the provider on this machine, "" if
// there is none.
func (m Model) Starts() string { return makerNamed(m.Provider).starts }

// VisionQuery returns the request that asks m's server whether m accepts images: URL and
// body. The URL is "" if the API has no such request.
func (m Model) VisionQuery() (url string, body []byte) {
	if m.row().show == "" || m.Blind {
		return "", nil
	}
	body, _ = json.Marshal(map[string]string{"model": m.Name}) // a string always encodes
	return m.at(m.row().show), body
}

// HasVision reports, from the answer to VisionQuery, whether m accepts images. An older
// server does not say; then it may.
func (m Model) HasVision(answer []byte) bool {
	abilities := gjson.GetBytes(answer, "capabilities")
	vision := func(v gjson.Result) bool { return v.Str == "vision" }
	return !abilities.IsArray() || slices.ContainsFunc(abilities.Array(), vision)
}

// HasImages reports whether a request contains an image.
func (r *Request) HasImages() bool {
	return slices.ContainsFunc(r.Talk.Messages, func(msg conversation.Message) bool {
		return slices.ContainsFunc(msg.Parts, func(p conversation.Part) bool {
			return slices.ContainsFunc(p.Media, conversation.Medium.Image)
		})
	})
}

// An Offer is a model in a provider's list, with what the list says of it.
type Offer struct {
	Name    string
	Context int64 // tokens, 0 if unknown
	// dollars for a million tokens; without Priced unknown
	Priced        bool
	Input, Output float64
	Loaded        bool // it can answer at once, as far as the list says
}

// contextNames are the members by which servers tell how many tokens a model takes: the one
// that holds now before the most that the model could.
var contextNames = []string{"loaded_context_length", "context_length", "context_window",
	"max_model_len", "max_context_length", "max_input_tokens", "meta.n_ctx", "meta.n_ctx_train"}

// Offers returns the models in a list of any of the APIs, sorted by name. Together sends the
// bare list.
func Offers(list []byte) (offers []Offer) {
	root := gjson.ParseBytes(list)
	for _, member := range []string{"data", "models"} {
		if v := root.Get(member); v.IsArray() {
			root = v
		}
	}
	if !root.IsArray() {
		return nil
	}
	for _, v := range root.Array() {
		o := Offer{Name: v.Get("id").Str}
		if o.Name == "" {
			o.Name = v.Get("name").Str
		}
		for _, name := range contextNames {
			if o.Context == 0 {
				o.Context = v.Get(name).Int()
			}
		}
		// OpenRouter's prices are texts for one token, Together's numbers for a million.
		for from, scale := range map[string]float64{"prompt completion": 1e6, "input output": 1} {
			in, out, _ := strings.Cut(from, " ")
			if p := v.Get("pricing." + in); p.Exists() && p.Float() >= 0 {
				o.Priced, o.Input = true, p.Float()*scale
				o.Output = v.Get("pricing."+out).Float() * scale
			}
		}
		state := v.Get("state").Str + v.Get("status.value").Str
		o.Loaded = (state == "" || state == "loaded") && v.Get("type").Str != "embeddings"
		if o.Name != "" {
			offers = append(offers, o)
		}
	}
	slices.SortFunc(offers, func(a, b Offer) int { return strings.Compare(a.Name, b.Name) })
	return offers
}

// LoadedURL returns the address of the list that tells which models m's server has loaded;
// where that is no list of its own, the one of all models, as of servers that have one.
func (m Model) LoadedURL() string {
	path := makerNamed(m.Provider).loaded
	if path == "" {
		return m.ModelsURL()
	}
	base := strings.TrimRight(m.Base, "/")
	return strings.TrimSuffix(strings.TrimSuffix(base, "/v1"), "/api") + path
}
