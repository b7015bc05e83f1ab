package provider

import (
	"net/http"
	"slices"
	"strings"
)

// A Route is what a request to a gateway asks the provider for.
type Route struct {
	Model Model  // with the API of the route, and no name yet
	URL   string // where the provider takes it
	Asks  bool   // the model answers, which costs money
}

// RouteOf finds the route of an HTTP request by its method and path, as the
// provider's own server would: with or without the API's version in front. What
// m's provider does not offer, and what would be no question or list of models
// (files, batches, settings of the account), has none.
func (m Model) RouteOf(method, path string) (Route, bool) {
	for _, row := range m.rows() {
		to := m
		to.API = row.Name
		rest := path
		for _, version := range []string{row.version, "/v1"} {
			if cut, ok := strings.CutPrefix(rest, version+"/"); ok && version != "" {
				rest = "/" + cut
				break
			}
		}
		list, _, _ := strings.Cut(row.models, "?")
		switch {
		case method == http.MethodPost && rest == row.path:
			return Route{to, to.URL(), true}, true
		case method == http.MethodPost && row.free != "" && rest == row.free:
			return Route{to, to.at(row.free), false}, true
		case method == http.MethodGet && rest == list:
			return Route{to, to.ModelsURL(), false}, true
		}
	}
	return Route{}, false
}

// rows returns the APIs that m's provider speaks. OpenAI's speaks its older one too.
func (m Model) rows() []API {
	rows := []API{m.row()}
	if m.API == "openai" {
		chat, _ := apiNamed("openai-chat")
		rows = append(rows, chat)
	}
	return rows
}

// Limits returns the paths (gjson syntax) of the members of a request that bound
// the tokens of its answer. The first is the one to set where none is there.
func (m Model) Limits() []string { return m.row().limits }

// Hosted reports whether a declared tool of this type runs at the provider, not
// where the answer goes: a search of the web, an interpreter, a remote server.
func (m Model) Hosted(typ string) bool {
	if m.API != "anthropic" && m.API != "openai" {
		return false
	}
	return !slices.ContainsFunc(m.row().local, func(prefix string) bool {
		return strings.HasPrefix(typ, prefix)
	})
}

// Streams reports whether a request is answered by a stream, where stream is the
// member of that name: present says whether there is one.
func (m Model) Streams(present, stream bool) bool {
	if !present {
		return m.API == "ollama"
	}
	return stream
}
