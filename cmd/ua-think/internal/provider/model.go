// Package provider knows the model providers: how a model is named and found,
// and for each of their APIs the form of a request and of an answer.
package provider

import (
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

// A Model is a model of a provider, ready to be asked.
type Model struct {
	Provider string // as the user names it
	Name     string // as the provider names it; for replay and exec the rest of the spec
	API      string // a row of the table of APIs, Replay or Exec
	Base     string // URL; "" for replay and exec
	Key      string
	Bearer   bool   // the key goes into Authorization, where the API has a header of its own
	Gateway  string // the Unix socket by which Base is reached, "" for the network
	Header   map[string]string
	NumCtx   int    // Ollama: tokens of context, 0 for what the request needs
	Blind    bool   // it takes no images
	keyEnv   string // the variable that holds the key, for hints
}

// The APIs that are not asked over HTTP.
const (
	Replay = "replay" // the responses of a journal
	Exec   = "exec"   // any program
)

// Spec returns the model as --model takes it.
func (m Model) Spec() string {
	if m.API == Replay || m.API == Exec {
		return m.API + ":" + m.Name
	}
	return m.Provider + "/" + m.Name
}

// said reports whether p comes from this model's provider: only that one can read
// the signatures and sealed thoughts in it.
func (m Model) said(p conversation.Part) bool {
	who, _, _ := strings.Cut(p.Model, "/")
	return who == m.Provider
}

// Local reports whether the model's server is on this machine.
func (m Model) Local() bool {
	u, err := url.Parse(m.Base)
	if err != nil || m.Gateway != "" {
		return false
	}
	return u.Hostname() == "localhost" || net.ParseIP(u.Hostname()).IsLoopback()
}

// URL returns where a request goes.
func (m Model) URL() string { return m.at(m.row().path) }

// ModelsURL returns where the list of the provider's models is.
func (m Model) ModelsURL() string { return m.at(m.row().models) }

// ModelNames returns the models' names in the list at ModelsURL, in order.
func (m Model) ModelNames(list []byte) (names []string) {
	for _, v := range gjson.GetBytes(list, m.row().names).Array() {
		names = append(names, v.String())
	}
	slices.Sort(names)
	return names
}

// Headers returns what every request of the provider carries beside its body:
// the key and what the API and the settings want.
func (m Model) Headers() http.Header {
	h := http.Header{}
	m.row().authorize(h, m)
	for name, value := range m.Header {
		h.Set(name, value)
	}
	return h
}

func (m Model) row() API {
	row, _ := apiNamed(m.API)
	return row
}

// at returns the URL of a path of the API. A base that ends in the API's version has
// that already.
func (m Model) at(path string) string {
	version := m.row().version
	base := strings.TrimRight(m.Base, "/")
	if strings.HasSuffix(base, version) {
		return base + path
	}
	return base + version + path
}

// Via returns m as it is asked by a gateway: the path of its Unix socket, the API that
// it serves and the token that it takes. The key and the settings of the provider
// are the gateway's own.
func (m Model) Via(socket, api, token string) Model {
	m.Gateway, m.API, m.Key, m.Bearer, m.Header = socket, api, token, false, nil
	m.Base = "http://gateway" + m.row().version
	if m.row().version == "" {
		m.Base += "/v1"
	}
	return m
}

// AgentHeader is the header in which a client of a gateway names its run, for the
// gateway's log. Any client can write anything there.
const AgentHeader = "Ua-Run"

// ForRun returns m as the run with this ID asks it. Only a gateway is told.
func (m Model) ForRun(run string) Model {
	if m.Gateway != "" && run != "" {
		m.Header = map[string]string{AgentHeader: run}
	}
	return m
}

// Connect finds a provider's API and base URL.
func Connect(provider, name string, cfg *settings.Settings) (Model, error) {
	p := cfg.Provider[provider]
	m := Model{
		Provider: provider, Name: name, API: p.API, Base: p.BaseURL, Header: p.Header,
		NumCtx: p.NumCtx, Blind: p.Vision != nil && !*p.Vision,
		keyEnv: keyVariable(provider, cfg),
	}
	known, builtin := apiNamed(provider)
	if m.API == "" {
		if m.API = "openai-chat"; builtin {
			m.API = provider
		}
	}
	if _, ok := apiNamed(m.API); !ok {
		return m, prog.Errorf(prog.Trouble, "provider %q: unknown api %q", provider, m.API).
			Hintf("the APIs are %s", strings.Join(Names(), ", "))
	}
	if env := os.Getenv(known.baseEnv); m.Base == "" && builtin && env != "" {
		m.Base = env
	}
	if m.Base == "" {
		m.Base = known.base
	}
	if m.Base == "" {
		return m, unknownProvider(provider, cfg)
	}
	if m.API == "ollama" {
		m.Base = ollamaBase(m.Base)
	}
	u, err := url.Parse(m.Base)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return m, prog.Errorf(prog.Trouble, "base URL %q of %s is not an HTTP URL", m.Base,
			provider)
	}
	return m, nil
}
