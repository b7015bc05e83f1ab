package answer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
)

// A Block is one part of an answer's content.
type Block struct {
	Kind  string
	ID    string // of a complete call
	Name  string // of a call's tool
	Given string // the id that the provider gave a call

	body  []byte // the text escaped for JSON, the call's input, or the whole block
	extra []byte // more members of the block, each with its comma before it
	done  bool

	index string          // of a call, as its server gave it
	value value           // how far the input of a call has come
	like  *Block          // the first of the calls from which nothing but its input tells it
	left  map[string]bool // names and inputs of the calls like this one that have left
}

// Done reports whether the block is complete.
func (b *Block) Done() bool { return b.done }

// Empty reports whether nothing has been added to the block yet.
func (b *Block) Empty() bool { return len(b.body) == 0 }

// Put sets the content of a block of kind Whole: JSON text.
func (b *Block) Put(json string) {
	b.body = []byte(OneLine(json))
}

// Keep gives the block another member, as JSON text, which goes back to the provider.
func (b *Block) Keep(member, json string) {
	b.extra = append(event.AppendString([]byte{','}, member), ':')
	b.extra = append(b.extra, OneLine(json)...)
}

// Kept reports whether Keep has been called.
func (b *Block) Kept() bool { return b.extra != nil }

// Plain returns the text of a block of kind Text.
func (b *Block) Plain() string { return gjson.Parse(`"` + string(b.body) + `"`).Str }

// Words returns what a block of text says, also of one that was carried whole.
func (b *Block) Words() string {
	switch {
	case b.Kind == Text:
		return b.Plain()
	case b.Kind == Whole && gjson.GetBytes(b.body, "type").Str == Text:
		return gjson.GetBytes(b.body, "text").Str
	}
	return ""
}

// SetWords replaces what a block of text says.
func (b *Block) SetWords(text string) {
	*b = Block{Kind: Text, done: b.done, body: []byte(escaped(text))}
}

// Input returns the input of a complete call, a JSON object.
func (b *Block) Input() []byte { return b.body }

// append appends the block to a text, as a JSON object.
func (b *Block) append(to []byte) []byte {
	switch b.Kind {
	case Whole:
		return append(to, b.body...)
	case Call:
		to = event.AppendString(append(to, `{"type":"tool_use","id":`...), b.ID)
		to = append(event.AppendString(append(to, `,"name":`...), b.Name), `,"input":`...)
		to = append(to, b.body...)
	default:
		to = append(append(to, `{"type":"`+b.Kind+`","`+b.Kind+`":"`...), b.body...)
		to = append(to, '"')
	}
	return append(append(to, b.extra...), '}')
}

// tidy returns the input of a call as an event carries it, on one line and in UTF-8, or
// what is wrong with it. Some servers encode it twice. No input counts as an empty object.
func tidy(input []byte) ([]byte, error) {
	var inner string
	if json.Unmarshal(input, &inner) == nil &&
		(inner == "" || strings.HasPrefix(strings.TrimSpace(inner), "{")) {
		input = []byte(inner)
	}
	switch input = bytes.TrimSpace(input); {
	case len(input) == 0:
		return []byte("{}"), nil
	case !event.ValidJSON(input):
		var v any
		if err := json.Unmarshal(input, &v); err != nil {
			return nil, err
		}
		return nil, errors.New("it is not JSON")
	case input[0] != '{':
		return nil, errors.New("it is another JSON value")
	case !event.ValidJSON(fmt.Appendf(nil, "[[[[%s]]]]", input)): // as part of an event
		return nil, errors.New("it is nested too deep")
	case bytes.ContainsAny(input, "\r\n"):
		input = []byte(gjson.GetBytes(input, "@ugly").Raw)
	}
	return bytes.ToValidUTF8(input, []byte("\ufffd")), nil
}

// escaped returns a text as it stands between the quotes of a JSON string.
func escaped(text string) string {
	quoted := event.AppendString(nil, text)
	return string(quoted[1 : len(quoted)-1])
}

// OneLine returns JSON text without line breaks between tokens, and in valid UTF-8.
func OneLine(text string) string {
	if strings.ContainsAny(text, "\r\n") {
		text = gjson.Get(text, "@ugly").Raw
	}
	return strings.ToValidUTF8(text, "\ufffd")
}
