package provider

import (
	"net/http"
	"strings"
)

// A Route says what a request to a gateway asks of the provider.
type Route struct {
	Model Model  // with the API of the route, and no name yet
	URL   string // where the provider takes it
	Asks  bool   // the model answers, which costs money
}

// RouteOf returns the route of an HTTP request, found by its method and path as the
// provider's own server would: with or without the version of the API in front. A path
// has no route if m's provider does not offer it, or if it is neither a question nor a
// list of models, as files, batches and account settings are.
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

// rows returns the APIs that m's provider serves.
func (m Model) rows() []API {
	rows := []API{m.row()}
	if older, ok := apiNamed(rows[0].older); ok {
		rows = append(rows, older)
	}
	return rows
}

// Strict reports whether the provider refuses a conversation that is longer than the
// model's context. Others silently drop its beginning.
func (m Model) Strict() bool { return m.row().strict }

// Starts returns the command that starts a server of the provider on this machine, "" if
// there is none.
func (m Model) Starts() string { return m.row().starts }
