package provider

import (
	"net/http"
	"os"
	"slices"
	"strings"

	"ua/cmd/ua-think/internal/conversation"
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

// makers is the table of providers. URLs and variables are those of the providers' own
// manuals and SDKs (2026-11).
var makers = [...]maker{
	{
		name: "anthropic", api: "anthropic", base: "https://api.anthropic.com",
		baseEnv: "ANTHROPIC_BASE_URL", keyEnv: "ANTHROPIC_API_KEY",
		tokenEnv: "ANTHROPIC_AUTH_TOKEN", signs: []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"},
		model: "claude-sonnet-5-5", prefixes: []string{"claude-"},
	},
	{
		name: "openai", api: "openai", base: "https://api.openai.com/v1",
		baseEnv: "OPENAI_BASE_URL", keyEnv: "OPENAI_API_KEY",
		model: "gpt-6.1-sol", prefixes: []string{"gpt-", "o3", "o4"},
		at: "//api.openai.com", limit: "max_completion_tokens", cacheKey: true,
	},
	{
		name: usualAPI, api: usualAPI, base: "https://api.openai.com/v1",
		baseEnv: "OPENAI_BASE_URL", keyEnv: "OPENAI_API_KEY", signs: []string{"OPENAI_BASE_URL"},
	},
	{
		name: "gemini", api: usualAPI, keyEnv: "GEMINI_API_KEY",
		base: "https://generativelanguage.googleapis.com/v1beta/openai",
	},
	{
		name: "openrouter", api: usualAPI, keyEnv: "OPENROUTER_API_KEY",
		base: "https://openrouter.ai/api/v1",
	},
	{
		name: "groq", api: usualAPI, keyEnv: "GROQ_API_KEY",
		base: "https://api.groq.com/openai/v1", at: "//api.groq.com", limit: "max_completion_tokens",
	},
	{
		name: "deepseek", api: usualAPI, keyEnv: "DEEPSEEK_API_KEY",
		base: "https://api.deepseek.com",
	},
	{
		name: "mistral", api: usualAPI, keyEnv: "MISTRAL_API_KEY",
		base: "https://api.mistral.ai/v1", at: "//api.mistral.ai", shortIDs: true, noOptions: true,
	},
	{
		name: "xai", api: usualAPI, keyEnv: "XAI_API_KEY", base: "https://api.x.ai/v1",
		at: "//api.x.ai", limit: "max_completion_tokens",
	},
	{
		name: "together", api: usualAPI, keyEnv: "TOGETHER_API_KEY",
		base: "https://api.together.ai/v1",
	},
	{
		name: "fireworks", api: usualAPI, keyEnv: "FIREWORKS_API_KEY",
		base: "https://api.fireworks.ai/inference/v1",
	},
	{
		name: "cerebras", api: usualAPI, keyEnv: "CEREBRAS_API_KEY",
		base: "https://api.cerebras.ai/v1", at: "//api.cerebras.ai", limit: "max_completion_tokens",
	},
	{
		name: "moonshot", api: usualAPI, keyEnv: "MOONSHOT_API_KEY",
		base: "https://api.moonshot.ai/v1",
	},
	{
		name: "zai", api: usualAPI, keyEnv: "ZAI_API_KEY", base: "https://api.z.ai/api/paas/v4",
	},
	{
		name: "azure", api: usualAPI, keyEnv: "AZURE_OPENAI_API_KEY",
		base: "${AZURE_OPENAI_ENDPOINT}/openai/v1", at: ".azure.com",
		limit: "max_completion_tokens", keyHeader: "Api-Key",
	},
	{
		name: "azure-classic", api: usualAPI, keyEnv: "AZURE_OPENAI_API_KEY",
		base: "${AZURE_OPENAI_ENDPOINT}/openai/deployments/${MODEL}" +
			"?api-version=${OPENAI_API_VERSION}",
		at: "/openai/deployments/", limit: "max_completion_tokens", keyHeader: "Api-Key",
	},
	{
		name: "bedrock", api: usualAPI, keyEnv: "AWS_BEARER_TOKEN_BEDROCK",
		base: "https://bedrock-mantle.${AWS_REGION}.api.aws/v1", baseEnv: "AWS_BEDROCK_BASE_URL",
	},
	{
		name: "vertex", api: usualAPI, keyEnv: "VERTEX_API_KEY",
		base: "https://${GOOGLE_CLOUD_LOCATION}-aiplatform.googleapis.com/v1/projects/" +
			"${GOOGLE_CLOUD_PROJECT}/locations/${GOOGLE_CLOUD_LOCATION}/endpoints/openapi",
	},
	{
		name: "ollama", api: "ollama", base: "http://127.0.0.1:11434",
		baseEnv: "OLLAMA_HOST", keyEnv: "OLLAMA_API_KEY", keyless: true,
		signs: []string{"OLLAMA_HOST"}, starts: "ollama serve", loaded: "/api/ps",
	},
	{
		name: "lmstudio", api: usualAPI, base: "http://127.0.0.1:1234/v1",
		keyEnv: "LM_API_TOKEN", keyless: true, starts: "lms server start", loaded: "/api/v0/models",
	},
	{
		name: "llamacpp", api: usualAPI, base: "http://127.0.0.1:8080/v1",
		keyEnv: "LLAMA_API_KEY", keyless: true, starts: "llama-server -m FILE",
	},
	{
		name: "vllm", api: usualAPI, base: "http://127.0.0.1:8000/v1",
		keyEnv: "VLLM_API_KEY", keyless: true, starts: "vllm serve MODEL",
	},
}

// makerNamed returns the row of a provider; without one it is empty.
func makerNamed(name string) maker {
	for i := range makers {
		if makers[i].name == name {
			return makers[i]
		}
	}
	return maker{}
}

// maker returns the row of whoever made m's server: the one whose address it has, or else
// the one whose name its provider has.
func (m Model) maker() maker {
	for i := range makers {
		if at := makers[i].at; at != "" && strings.Contains(m.Base, at) {
			return makers[i]
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
func (k *maker) inUse() bool {
	set := func(env string) bool { return os.Getenv(env) != "" }
	return k.signs == nil && set(k.keyEnv) || slices.ContainsFunc(k.signs, set) ||
		keystore.Place(k.name) != ""
}

// Names returns the names of the providers that are known without settings.
func Names() (names []string) {
	for i := range makers {
		names = append(names, makers[i].name)
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
