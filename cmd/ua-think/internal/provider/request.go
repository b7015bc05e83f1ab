package provider

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/conversation"
	"ua/cmd/ua-think/internal/failure"
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

// id returns the ID of a call, or of the call that a result answers, as m's server takes it:
// its own as they are, and others in the letters and within the length that all servers take.
// No two become one.
func (m Model) id(p conversation.Part) string {
	least, most, short := 1, 64, m.maker().shortIDs
	if short {
		least, most = 9, 9
	}
	odd := func(r rune) bool {
		return !('0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' ||
			!short && (r == '_' || r == '-'))
	}
	if n := len(p.ID); !short && m.said(p) || least <= n && n <= most &&
		strings.IndexFunc(p.ID, odd) < 0 {
		return p.ID
	}
	sum := sha256.Sum256([]byte(p.ID))
	return ("c" + hex.EncodeToString(sum[:]))[:min(most, 32)]
}

// Refuses reports whether m's server has refused a member of a request.
func (m Model) Refuses(member string) bool { return slices.Contains(m.Refused, member) }

// Refusable returns the member of a request to m that an error says is unknown, "" unless a
// request can do without it or has another name for it.
func (m Model) Refusable(body Body, f *failure.Failure) string {
	words := strings.ToLower(f.Msg)
	unknown := func(word string) bool { return strings.Contains(words, word) }
	refusals := []string{"support", "unrecogni", "unknown", "unexpected", "not permitted",
		"not allowed", "extra"}
	if m.API != usualAPI || f.Retry || !slices.ContainsFunc(refusals, unknown) {
		return ""
	}
	for _, member := range []string{"stream_options", "max_tokens", "max_completion_tokens"} {
		if unknown(member) && !m.Refuses(member) && gjson.GetBytes(body, member).Exists() {
			return member
		}
	}
	return ""
}
