package provider

import (
	"bytes"
	"encoding/json"
	"slices"

	"ua/cmd/ua-think/internal/conversation"
	"ua/cmd/ua-think/internal/failure"
)

// A Memo holds the encoded messages of a conversation, so that the next request encodes
// only the new ones. The others are then byte for byte the same, which a provider's cache
// needs. The zero Memo is empty.
type Memo struct {
	form     form
	messages []encoded // by the message's place
}

// A form is what the encoding of a message depends on in the model.
type form struct {
	provider, name, api string
	blind               bool
}

// An encoded is a message as JSON text: elements of a list, separated by commas. The
// message is identified by the address of its first part, which is never changed once it
// is in the conversation, and by the number of its parts.
type encoded struct {
	first *conversation.Part
	parts int
	end   bool
	text  []byte
}

// Encode returns a request in the form of m's provider.
func (m Model) Encode(r *Request) (Body, error) {
	if m.API == Replay {
		m = Model{API: "anthropic", Name: "replay"}
	}
	api := m.row()
	// Buffer.Grow would write zeros into all of the room.
	b := bytes.NewBuffer(make([]byte, 0, r.Size+4<<10))
	if err := writeJSON(b, api.request(m, r)); err != nil {
		return nil, failure.Bug(err)
	}
	b.Truncate(b.Len() - len("]}")) // of the list, which is the last member
	memo := r.Memo.of(m, r.Talk.Messages)
	ends := prefixEnds(r.Talk.Messages)
	for i, msg := range r.Talk.Messages {
		e := &memo.messages[i]
		if err := e.take(msg, slices.Contains(ends, i), m, api.message); err != nil {
			return nil, failure.Bug(err)
		}
		if len(e.text) == 0 {
			continue
		}
		if b.Bytes()[b.Len()-1] != '[' {
			b.WriteByte(',')
		}
		b.Write(e.text)
	}
	b.WriteString("]}")
	return b.Bytes(), nil
}

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

// writeJSON appends a value as encoding/json writes it, without escaping HTML.
func writeJSON(b *bytes.Buffer, v any) (err error) {
	switch v := v.(type) {
	case object:
		b.WriteByte('{')
		sep := ""
		for i := 0; i < len(v) && err == nil; i += 2 {
			if v[i+1] != nil {
				b.WriteString(sep + `"` + v[i].(string) + `":`)
				err = writeJSON(b, v[i+1])
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
			err = writeJSON(b, v[i])
		}
		b.WriteByte(']')
		return err
	}
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	err = e.Encode(v)
	b.Truncate(len(bytes.TrimSuffix(b.Bytes(), []byte{'\n'})))
	return err
}

// of returns the memo for messages in m's form, with one place for each message. What it
// holds of another form or of a longer conversation is dropped.
func (memo *Memo) of(m Model, messages []conversation.Message) *Memo {
	if memo == nil {
		memo = new(Memo)
	}
	if f := (form{m.Provider, m.Name, m.API, m.Blind}); memo.form != f {
		*memo = Memo{form: f}
	}
	for len(memo.messages) < len(messages) {
		memo.messages = append(memo.messages, encoded{})
	}
	clear(memo.messages[len(messages):])
	memo.messages = memo.messages[:len(messages)]
	return memo
}

// take encodes a message into e, unless e holds it already.
func (e *encoded) take(
	msg conversation.Message, end bool, m Model, elements func(Model, conversation.Message,
		bool) []any,
) error {
	if len(msg.Parts) > 0 && e.first == &msg.Parts[0] && e.parts == len(msg.Parts) && e.end == end {
		return nil
	}
	var b bytes.Buffer
	for i, v := range elements(m, msg, end) {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := writeJSON(&b, v); err != nil {
			return err
		}
	}
	*e = encoded{parts: len(msg.Parts), end: end, text: b.Bytes()}
	if len(msg.Parts) > 0 {
		e.first = &msg.Parts[0]
	}
	return nil
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
