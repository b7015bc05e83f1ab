package provider

import (
	"net/http"

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

	// request is the body. The last member is the list of messages, but for those of the
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
		request: responsesRequest, message: responsesItems,
		events: responsesEvents, marks: true,
		authorize: bearer,
	},
	{
		Name: usualAPI,
		path: "/chat/completions", models: "/models",
		request: chatRequest, message: chatMessages,
		events:    chatEvents,
		authorize: bearer,
	},
	{
		Name: "ollama", server: ollamaBase,
		version: "/api", path: "/chat", show: "/show", models: "/tags",
		request: ollamaRequest, message: ollamaMessages,
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
