package provider

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/conversation"
	"ua/internal/common/prompt"
)

// A Request is one question to a model, before it is encoded for a provider.
type Request struct {
	Talk   *conversation.Conversation // as Now returns it
	Schema string                     // the JSON Schema of the answer, or ""
	Effort string                     // how hard to think, in the provider's words, or ""
	// tokens to think with, 0 for none, -1: the model decides
	Thinking      int
	MaxTokens     int   // of the answer, 0 when the provider decides
	ContextTokens int   // the most that the conversation may take, 0 for no limit
	Size          int   // about how many bytes the body gets
	Memo          *Memo // of the requests before this one, or nil
}

// A Body is an encoded request. It is a pure function of the model and the Request.
type Body []byte

// SHA256 returns the hash of the body in hexadecimal, by which requests are compared.
func (b Body) SHA256() string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// maxTokens returns the limit on the answer's tokens, or fallback if none is set. Tokens
// of thinking come on top, because APIs count them as part of the answer.
func (r *Request) maxTokens(fallback int) int {
	if r.MaxTokens > 0 {
		return r.MaxTokens
	}
	return fallback + max(r.Thinking, 0)
}

// A tool is a declared tool. Its members are JSON text.
type tool struct {
	name, description, schema json.RawMessage
}

// tools returns the tools to declare. APIs require some when the conversation contains
// calls, even if the model is to call nothing. Then none is true.
func (r *Request) tools() (list []tool, none bool) {
	text := r.Talk.Tools
	if text == "" && r.Talk.Called() {
		text, none = prompt.Tools, true
	}
	for _, t := range gjson.Parse(text).Array() {
		if !t.IsObject() || t.Get("name").Str == "" || !t.Get("input_schema").IsObject() {
			continue
		}
		list = append(list, tool{
			raw(t.Get("name")), raw(t.Get("description")), raw(t.Get("input_schema")),
		})
	}
	return list, none
}

// raw returns a value as JSON text, nil if there is none.
func raw(v gjson.Result) json.RawMessage {
	if !v.Exists() {
		return nil
	}
	return json.RawMessage(v.Raw)
}

// schema returns the schema of the answer as JSON text, nil if there is none.
func (r *Request) schema() json.RawMessage {
	if r.Schema == "" {
		return nil
	}
	return json.RawMessage(r.Schema)
}

// joined joins two texts of one message.
func joined(a, b string) string {
	if a == "" {
		return b
	}
	return a + "\n\n" + b
}
