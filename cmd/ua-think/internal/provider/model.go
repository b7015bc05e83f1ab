// Package provider knows the model providers: how models are named and found, and what
// requests and answers look like in each of their APIs.
package provider

import (
	"cmp"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/conversation"
	"ua/cmd/ua-think/internal/settings"
	"ua/internal/common/prog"
)

// A Model is a model of a provider, ready to be asked once Unlock has given it a key.
type Model struct {
	Provider string // as the user names it
	Name     string // as the provider names it; for replay and exec the rest of the spec
	API      string // a row of the table of APIs, Replay or Exec
	Base     string // URL; "" for replay and exec
	Key      string
	Bearer   bool // the key goes into Authorization, where the API has a header of its own
	Header   map[string]string
	NumCtx   int      // Ollama: tokens of context, 0 for what the request needs
	Blind    bool     // it takes no images
	Refused  []string // members of a request that its server has refused
	keyEnv   string   // the variable that holds the key, for hints
}

// The APIs that are not asked over HTTP.
const (
	Replay = "replay" // the responses of a journal
	Exec   = "exec"   // any program
)

// Spec returns the model as --model takes it: PROVIDER/NAME, replay:FILE or exec:CMD.
func (m Model) Spec() string {
	if m.API == Replay || m.API == Exec {
		return m.API + ":" + m.Name
	}
	return m.Provider + "/" + m.Name
}

// said reports whether p comes from this model's provider. Only that provider can read
// the signatures and the sealed thinking in it.
func (m Model) said(p conversation.Part) bool {
	who, _, _ := strings.Cut(p.Model, "/")
	return who == m.Provider
}

// Local reports whether the model's server is on this machine, judged by its name.
func (m Model) Local() bool {
	u, err := url.Parse(m.Base)
	if err != nil {
		return false
	}
	return u.Hostname() == "localhost" || net.ParseIP(u.Hostname()).IsLoopback()
}

// URL returns the address for requests.
func (m Model) URL() string { return m.at(m.row().path) }

// ModelsURL returns the address of the list of the provider's models.
func (m Model) ModelsURL() string { return m.at(m.row().models) }

// Headers returns the headers of every request to the provider: the key, and what the API
// and the settings require.
func (m Model) Headers() http.Header {
	h := http.Header{}
	m.row().authorize(h, m)
	for name, value := range m.Header {
		h.Set(name, value)
	}
	return h
}

// row returns the row of the model's API in the table.
func (m Model) row() API {
	return apiOf(m.API)
}

// at returns the URL of a path of the API. A base that ends in the version of the API, or in
// the path of its requests, already has it. The query of a base comes last.
func (m Model) at(path string) string {
	row := m.row()
	base, query, _ := strings.Cut(m.Base, "?")
	base = strings.TrimRight(base, "/")
	if strings.HasSuffix(base, row.path) && query != "" {
		base = strings.TrimSuffix(base, row.path)
	}
	if !strings.HasSuffix(base, row.version) {
		base += row.version
	}
	path, own, _ := strings.Cut(path, "?")
	if own != "" && query != "" {
		own += "&"
	}
	if own += query; own != "" {
		own = "?" + own
	}
	return base + path + own
}

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

// Strict reports whether the provider refuses a conversation that is longer than the
// model's context. Others silently drop its beginning.
func (m Model) Strict() bool { return m.row().strict }

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
