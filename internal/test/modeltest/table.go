package modeltest

import (
	"net/http"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// An api is one way of asking a model, as the fake server speaks it. A new one is a row
// of apis.
type api struct {
	name    string
	path    string // how the path of a question ends
	closing int    // events that say that an answer is whole

	events    func(u Usage, stop string, says []Say) []string
	authentic func(http.Header) bool // whether a request shows the key
	strict    func(body gjson.Result) error
}

// apis returns the table of APIs.
func apis() []api {
	bearer := func(h http.Header) bool { return h.Get("Authorization") == "Bearer "+Secret }
	return []api{
		{
			"anthropic", "/messages", 2, Usage.messagesEvents,
			func(h http.Header) bool {
				return h.Get("X-Api-Key") == Secret && h.Get("Anthropic-Version") == "2023-06-01"
			},
			strictAnthropic,
		},
		{"openai", "/responses", 1, Usage.responsesEvents, bearer, strictResponses},
		{"openai-chat", "/chat/completions", 3, Usage.chatEvents, bearer, strictChat},
		{
			"ollama", "/api/chat", 1, Usage.ollamaEvents,
			func(http.Header) bool { return true }, strictOllama,
		},
	}
}

// APIs returns the names of the APIs.
func APIs() (names []string) {
	for _, a := range apis() {
		names = append(names, a.name)
	}
	return names
}

// apiNamed returns the API with that name; it panics if there is none.
func apiNamed(name string) api {
	list := apis()
	return list[slices.IndexFunc(list, func(a api) bool { return a.name == name })]
}

// apiOf returns the API that a path belongs to. Without one its name is "".
func apiOf(path string) api {
	for _, a := range apis() {
		if strings.HasSuffix(path, a.path) {
			return a
		}
	}
	return api{}
}
