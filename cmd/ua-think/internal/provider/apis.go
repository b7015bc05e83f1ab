package provider

import (
	"net/http"
	"strings"

	"ua/cmd/ua-think/internal/conversation"
)

// An API is one way of asking models over HTTP. A new API is a file in this package with
// a request and a decoder, and one row of apis.
type API struct {
	Name string // as `api` in the settings

	version string // stands at the start of each path; a base URL may end in it
	path    string // where a request goes
	show    string // where a model's abilities are told, or ""
	models  string // where the list of models is

	lines  bool // a stream is JSON values in lines, not events
	marks  bool // a stream marks the end of each block of an answer
	strict bool // a conversation longer than the context is refused, not cut

	older  string              // another API that its servers speak too, or ""
	server func(string) string // makes a URL of what the environment or the settings say, or nil

	// request is the body. The last member is the list of messages, without those of the
	// conversation.
	request func(Model, *Request) object
	// message is a message of the conversation as elements of that list. A provider's cache
	// is to keep what ends with it, if end.
	message func(m Model, msg conversation.Message, end bool) []any
	// events returns what takes the events of one streamed answer, or the whole of an
	// answer that came in one piece.
	events func(Model) take
	// authorize adds the key, and the headers that the API wants beside it.
	authorize func(http.Header, Model)
}

// usualAPI is the one that most other servers speak.
const usualAPI = "openai-chat"

// apis is the table of APIs. It is a variable and not a function, because every request
// looks up several of its columns.
var apis = [...]API{
	{
		Name: "anthropic", strict: true,
		version: "/v1", path: "/messages", models: "/models?limit=1000",
		request: anthropicRequest, message: anthropicMessages,
		events: anthropicEvents, marks: true,
		authorize: anthropicHeaders,
	},
	{
		Name: "openai", older: usualAPI,
		path: "/responses", models: "/models",
		request: responsesRequest, message: sides(responsesAssistant, responsesUser),
		events: responsesEvents, marks: true,
		authorize: bearer,
	},
	{
		Name: usualAPI,
		path: "/chat/completions", models: "/models",
		request: chatRequest, message: sides(chatAssistant, chatUser),
		events:    chatEvents,
		authorize: bearer,
	},
	{
		Name: "ollama", server: ollamaBase,
		version: "/api", path: "/chat", show: "/show", models: "/tags",
		request: ollamaRequest, message: sides(ollamaAssistant, ollamaUser),
		events: ollamaEvents, lines: true,
		authorize: bearer,
	},
}

// apiOf returns the row of the API with that name; without one it is empty.
func apiOf(name string) API {
	for i := range apis {
		if apis[i].Name == name {
			return apis[i]
		}
	}
	return API{}
}

// apiNames returns the names of the APIs.
func apiNames() (names []string) {
	for _, a := range apis {
		names = append(names, a.Name)
	}
	return names
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

// Strict reports whether the provider refuses a conversation that is longer than the
// model's context. Others silently drop its beginning.
func (m Model) Strict() bool { return m.row().strict }

// bearer sets the key as most APIs take it (RFC 6750), and in a header of the provider's own.
func bearer(h http.Header, m Model) {
	if m.Key == "" {
		return
	}
	h.Set("Authorization", "Bearer "+m.Key)
	if own := m.maker().keyHeader; own != "" {
		h.Set(own, m.Key)
	}
}

// anthropicHeaders sets the version of the API and the key.
func anthropicHeaders(h http.Header, m Model) {
	h.Set("Anthropic-Version", "2023-06-01")
	switch {
	case m.Key == "":
	case m.Bearer:
		bearer(h, m)
	default:
		h.Set("X-Api-Key", m.Key)
	}
}
