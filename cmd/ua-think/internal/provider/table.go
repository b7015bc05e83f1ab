package provider

import (
	"net/http"
	"os"
	"slices"

	"ua/cmd/ua-think/internal/conversation"
	"ua/cmd/ua-think/internal/settings"
	"ua/internal/common/prog"
)

// An API is one way of asking models over HTTP. A new API is a file in this package with
// a request and a decoder, and one row of apis.
type API struct {
	Name string // as `api` in the settings; without a [provider.NAME] the provider's name too

	base     string              // the built-in provider's URL
	baseEnv  string              // the variable with another one
	keyEnv   string              // the variable with its key
	tokenEnv string              // the variable with a token that is sent in place of a key, or ""
	keyless  bool                // servers of this API may want no key
	server   func(string) string // makes a URL of what baseEnv or the settings say, or nil
	starts   string              // the command that starts a server on this machine, or ""
	signs    []string            // the variables by which the provider is taken to be in use

	model    string   // asked if nothing but a sign says which: a middle one, as of 2026-11
	prefixes []string // with which the well-known names of the provider's models begin
	older    string   // another API that the provider serves too, and other servers alone

	version string // stands at the start of each path; a base URL may end in it
	path    string // where a request goes
	show    string // where a model's abilities are told, or ""
	models  string // where the list of models is
	names   string // the models' names in that list (gjson syntax)

	lines  bool // a stream is JSON values in lines, not events
	marks  bool // a stream marks the end of each block of an answer
	strict bool // a conversation longer than the context is refused, not cut

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
		Name: "anthropic", base: "https://api.anthropic.com",
		baseEnv: "ANTHROPIC_BASE_URL", keyEnv: "ANTHROPIC_API_KEY",
		tokenEnv: "ANTHROPIC_AUTH_TOKEN",
		signs:    []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"},
		model:    "claude-sonnet-5-5", prefixes: []string{"claude-"}, strict: true,
		version: "/v1", path: "/messages",
		models: "/models?limit=1000", names: "data.#.id",
		request: anthropicRequest, message: anthropicMessages,
		events: anthropicEvents, marks: true,
		authorize: anthropicHeaders,
	},
	{
		Name: "openai", base: "https://api.openai.com/v1",
		baseEnv: "OPENAI_BASE_URL", keyEnv: "OPENAI_API_KEY", signs: []string{"OPENAI_API_KEY"},
		model: "gpt-6.1-sol", prefixes: []string{"gpt-", "o3", "o4"}, older: usualAPI,
		path:   "/responses",
		models: "/models", names: "data.#.id",
		request: responsesRequest, message: responsesItems,
		events: responsesEvents, marks: true,
		authorize: bearer,
	},
	{
		Name: usualAPI, base: "https://api.openai.com/v1",
		baseEnv: "OPENAI_BASE_URL", keyEnv: "OPENAI_API_KEY", signs: []string{"OPENAI_BASE_URL"},
		path:   "/chat/completions",
		models: "/models", names: "data.#.id",
		request: chatRequest, message: chatMessages,
		events:    chatEvents,
		authorize: bearer,
	},
	{
		Name: "ollama", base: "http://127.0.0.1:11434",
		baseEnv: "OLLAMA_HOST", keyEnv: "OLLAMA_API_KEY", keyless: true,
		server: ollamaBase, starts: "ollama serve",
		signs:   []string{"OLLAMA_HOST"},
		version: "/api", path: "/chat", show: "/show",
		models: "/tags", names: "models.#.name",
		request: ollamaRequest, message: ollamaMessages,
		events: ollamaEvents, lines: true,
		authorize: bearer,
	},
}

// apiNamed returns the row of the API with that name.
func apiNamed(name string) (API, bool) {
	for i := range apis {
		if apis[i].Name == name {
			return apis[i], true
		}
	}
	return API{}, false
}

// inUse reports whether the environment says that the provider is in use.
func (a *API) inUse() bool {
	return slices.ContainsFunc(a.signs, func(env string) bool { return os.Getenv(env) != "" })
}

// Names returns the names of the APIs, which are also those of the built-in providers.
func Names() (names []string) {
	for _, a := range apis {
		names = append(names, a.Name)
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
