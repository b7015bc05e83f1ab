package provider

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/conversation"
	"ua/internal/common/event"
)

// An object is a JSON object: names and values by turns. Its members come in this order, so
// that equal conversations give equal bytes; one that is nil is left out.
type object []any

// opt returns a value, or nil for one that stands for nothing.
func opt[T comparable](v T) any {
	if v == *new(T) {
		return nil
	}
	return v
}

// orNil returns a list, or text, nil if it is empty.
func orNil[L ~[]T, T any](list L) any {
	if len(list) == 0 {
		return nil
	}
	return list
}

// A writer writes values as encoding/json does, without escaping HTML.
type writer struct {
	buf  *bytes.Buffer
	json *json.Encoder // to buf
}

// write appends a value.
func (w writer) write(v any) (err error) {
	b := w.buf
	switch v := v.(type) {
	case object:
		b.WriteByte('{')
		sep := ""
		for i := 0; i < len(v) && err == nil; i += 2 {
			if v[i+1] != nil {
				b.WriteString(sep + `"` + v[i].(string) + `":`)
				err = w.write(v[i+1])
				sep = ","
			}
		}
		b.WriteByte('}')
		return err
	case []any:
		b.WriteByte('[')
		for i := 0; i < len(v) && err == nil; i++ {
			if i > 0 {
				b.WriteByte(',')
			}
			err = w.write(v[i])
		}
		b.WriteByte(']')
		return err
	}
	err = w.json.Encode(v)
	b.Truncate(len(bytes.TrimSuffix(b.Bytes(), []byte{'\n'})))
	return err
}

// sides returns the message of an API that has one form for answers and one for the user.
func sides(assistant, user func(Model, conversation.Message) []any) (
	message func(Model, conversation.Message, bool) []any,
) {
	return func(m Model, msg conversation.Message, _ bool) []any {
		if msg.Assistant {
			return assistant(m, msg)
		}
		return user(m, msg)
	}
}

// prefixEnds returns the indexes of the last two messages of the user, where a prefix
// ends that the provider is to cache.
func prefixEnds(messages []conversation.Message) (places []int) {
	for i := len(messages) - 1; i >= 0 && len(places) < 2; i-- {
		if !messages[i].Assistant {
			places = append(places, i)
		}
	}
	return places
}

// textBlock returns a text as Anthropic and Chat Completions have it.
func textBlock(text string) object { return object{"type", "text", "text", text} }

// userContent returns what the user said, and the media of results, in the forms of text
// and medium. result is called with each result of a call.
func userContent(msg conversation.Message, result func(conversation.Part),
	text func(string) object, medium func(conversation.Medium) object) (content []any) {
	for _, p := range msg.Parts {
		if p.Kind == conversation.Result {
			result(p)
			for _, md := range p.Media {
				content = append(content, medium(md))
			}
		}
	}
	for _, p := range msg.Parts {
		switch p.Kind {
		case conversation.Text:
			content = append(content, text(p.Text))
		case conversation.Media:
			content = append(content, medium(p.Media[0]))
		}
	}
	return content
}

// A Request is one question to a model, before it is encoded for a provider.
type Request struct {
	Talk   *conversation.Conversation // as Now returns it
	Schema string                     // the JSON Schema of the answer, or ""
	Effort string                     // how hard to think, in the provider's words, or ""
	// tokens to think with, 0 for none, -1: the model decides
	Thinking      int
	MaxTokens     int // of the answer, 0 when the provider decides
	ContextTokens int // the most that the conversation may take, 0 for no limit
	Size          int // about how many bytes the body gets
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

// tools returns the tools to declare, each in the form of an API. APIs require some when the
// conversation contains calls, even if the model is to call nothing. Then choice is "none".
func (r *Request) tools(form func(tool) object) (list []any, choice string) {
	text := r.Talk.Tools
	if text == "" && r.Talk.Called() {
		text, choice = event.DefaultTools, "none"
	}
	for _, t := range gjson.Parse(text).Array() {
		if !t.IsObject() || t.Get("name").Str == "" || !t.Get("input_schema").IsObject() {
			continue
		}
		list = append(list, form(tool{
			raw(t.Get("name")), raw(t.Get("description")), raw(t.Get("input_schema")),
		}))
	}
	return list, choice
}

// raw returns a value as JSON text, nil if there is none.
func raw(v gjson.Result) json.RawMessage {
	if !v.Exists() {
		return nil
	}
	return json.RawMessage(v.Raw)
}

// schema returns the schema of the answer as JSON text, empty if there is none.
func (r *Request) schema() json.RawMessage { return json.RawMessage(r.Schema) }

// joined joins two texts of one message.
func joined(a, b string) string {
	if a == "" {
		return b
	}
	return a + "\n\n" + b
}
