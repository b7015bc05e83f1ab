package answer

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/failure"
	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// Servers do not agree on how the pieces of a call are marked. What all of them keep to:
//
//   - A piece with the ID of a call belongs to it, whatever its index. Otherwise the index
//     tells, and a piece with neither, or with an index that nothing has named, belongs to
//     the last call.
//   - Another ID together with a name begins another call.
//   - An input is one JSON object. What follows a whole one is another call, or the same one
//     again. An empty object may stand for an input that is still to come.
//   - A call leaves when its server says that it is complete, or the answer is.
//   - What tells the whole answer once more, or a call in an older form, adds only the calls
//     that nothing else has brought: the first call of the whole is the first that has come.

// A Piece is what one event of a stream adds to a call.
type Piece struct {
	Index string // the place of the call in the answer, "" if the server does not say
	ID    string
	Name  string
	Args  gjson.Result // of the input: a piece of JSON text, in a string, or the whole object
}

// Add adds a piece to the call that it belongs to, which it returns. It is of kind Unknown
// where no calls are wanted.
func (a *Answer) Add(p Piece) (*Block, error) {
	if a.NoCall {
		a.Dropped = true
		return &Block{Kind: Unknown}, nil
	}
	b := a.callOf(p)
	switch {
	case b == nil:
		b = a.Open(Call)
	case b.value.whole && p.Name != "" && p.Name != b.Name:
		b = a.another(b)
		b.Name = ""
	}
	b.named(p.Name)
	if b.Given == "" && b.like == nil {
		b.Given = p.ID
	}
	a.know(b, p)
	return a.feed(b, p)
}

// callOf returns the call to which a piece belongs, nil if the piece begins one.
func (a *Answer) callOf(p Piece) *Block {
	if b := a.given[p.ID]; b != nil && p.ID != "" {
		return b
	}
	b := a.call
	if p.Index != "" {
		at := a.at[p.Index]
		if b = at; b == nil && p.ID == "" && p.Name == "" {
			b = a.call
		}
	}
	// IDs that change from piece to piece come without a name.
	if b != nil && (b.Given != "" || b.value.whole) && p.ID != "" && p.Name != "" {
		return nil
	}
	return b
}

// know remembers that the marks of p lead to b.
func (a *Answer) know(b *Block, p Piece) {
	if a.at == nil {
		a.at, a.given = map[string]*Block{}, map[string]*Block{}
	}
	if a.call = b; p.Index != "" {
		a.at[p.Index], b.index = b, p.Index
	}
	if p.ID != "" {
		a.given[p.ID] = b
	}
}

// named adds to the name of a call's tool, which may come in pieces, or again and again.
func (b *Block) named(piece string) {
	switch {
	case strings.HasPrefix(piece, b.Name):
		b.Name = piece
	case b.Name != piece && piece != "":
		b.Name += piece
	}
}

// another opens a call that nothing but its input tells from b.
func (a *Answer) another(b *Block) *Block {
	c := a.Open(Call)
	if c.Name, c.like = b.Name, b; b.like != nil {
		c.like = b.like
	}
	return c
}

// Feed adds a piece of the input of a call: JSON text inside a JSON string. Pieces need
// not end where tokens do.
func (a *Answer) Feed(b *Block, piece gjson.Result) error {
	_, err := a.feed(b, Piece{Args: piece})
	return err
}

// feed adds what a piece has of the input of a call, and returns the call that got the end
// of it. The error is a failure.Failure when the inputs of all calls are too long.
func (a *Answer) feed(b *Block, p Piece) (*Block, error) {
	text := p.Args.Str
	if p.Args.IsObject() {
		text = p.Args.Raw
	}
	if b.Empty() && strings.TrimSpace(text) == "null" {
		return b, nil
	}
	if a.input += len(text); a.input > a.Limits.Event {
		return b, &failure.Failure{
			Msg:  "the inputs of the answer's calls are longer than " + Size(a.Limits.Event),
			Hint: "--max-event BYTES raises the limit", Status: prog.No,
		}
	}
	for {
		n := b.value.take(text)
		b.body = append(b.body, text[:n]...)
		if text = strings.TrimLeft(text[n:], " \t\r\n"); text == "" {
			return b, nil
		}
		switch {
		case text[0] != '{' && text[0] != '"':
			if !b.done {
				b.body = append(b.body, text...) // which spoils it
			}
			return b, nil
		case !b.done && b.hollow():
			b.body, b.value = nil, value{}
		default:
			b = a.another(b)
			a.know(b, p)
		}
	}
}

// Replace replaces what was fed to a call that has not left by input, JSON text inside a
// JSON string or an object. An empty one changes nothing.
func (a *Answer) Replace(b *Block, input gjson.Result) error {
	if b.done || !input.IsObject() && input.Str == "" {
		return nil
	}
	a.input -= len(b.body)
	b.body, b.value = nil, value{}
	return a.Feed(b, input)
}

// Complete replaces what was fed to a call that is not whole.
func (a *Answer) Complete(b *Block, input gjson.Result) error {
	if b.value.whole {
		return nil
	}
	return a.Replace(b, input)
}

// hollow reports whether the input of a call is missing or an empty object or text.
func (b *Block) hollow() bool {
	return len(b.body) < 64 && len(bytes.Trim(b.body, "{}\" \t\r\n")) == 0
}

// Close ends a block. A call with a whole input leaves as an event; any other is decided on
// when the answer ends.
func (a *Answer) Close(b *Block) {
	if b.done || b.Kind == Call && len(b.body) > 0 && !b.value.whole {
		return
	}
	if b.Kind == Call {
		a.leave(b)
	}
	b.done = true
}

// leave sends a call as an event. One that has left before counts once, unless an ID or an
// index tells the two apart. A call whose input is no JSON object is kept with an empty one
// and answered by an error event; the model sees both.
func (a *Answer) leave(b *Block) {
	input, err := tidy(b.body)
	if b.Name == "" {
		b.Name, err = "unnamed", errors.New("it names no tool")
	}
	if a.repeats(b, input) {
		b.Kind, a.Again = Unknown, true
		return
	}
	a.name(b)
	a.Began = true
	a.Calls++
	b.done, b.value.whole = true, true // more of an input is another call's
	if err == nil {
		b.body = input
		a.send(b.ID, b.Name, input)
		return
	}
	a.Broken++
	a.Out.Put(event.New("error").Str("stage", failure.Stage).Str("call_id", b.ID).
		Str("message", a.unfit(b.body, err)).Bool("retryable", false).Line())
	b.body = []byte("{}")
}

// Recorded sends a call of a recording. Its ID stays, even if the conversation has it already.
func (a *Answer) Recorded(id, name, input string) {
	a.Began = true
	a.Calls++
	if text, err := tidy([]byte(input)); err == nil {
		a.send(id, name, text)
	}
}

// send sends a call, and behind it a line. What a stage says of a call stands between the two
// (ua-events(5)), so whoever reads that line has all of it, and need not wait for the model.
func (a *Answer) send(id, name string, input []byte) {
	a.Out.Put(event.New("tool_call").Str("id", id).Str("name", name).Raw("input", input).Line())
	a.Out.Put(event.New("delta").Str("kind", "call_end").Str("call_id", id).Str("text", "").Line())
}

// repeats reports whether a call is one that has left, or nothing but an empty input.
func (a *Answer) repeats(b *Block, input []byte) bool {
	if b.like == nil || input == nil {
		return false
	}
	if b.like.left == nil {
		b.like.left = map[string]bool{b.like.Name + string(b.like.Input()): true, b.Name + "{}": true}
	}
	key := b.Name + string(input)
	again := b.like.left[key]
	b.like.left[key] = true
	return again
}

// name gives a call its ID. One that is missing, or that was used before, is replaced by a
// random one, since results are matched to calls by ID.
func (a *Answer) name(b *Block) {
	for b.ID = b.Given; b.ID == "" || a.IDs[b.ID] || a.calls[b.ID]; {
		var r [9]byte
		rand.Read(r[:])
		b.ID = "call_" + hex.EncodeToString(r[:])
	}
	if a.calls == nil {
		a.calls = map[string]bool{}
	}
	a.calls[b.ID] = true
}

// A value finds the end of a JSON value that comes in pieces. The value need not be valid.
type value struct {
	depth           int
	quoted, escaped bool
	whole           bool
}

// take returns how many bytes of text belong to the value.
func (v *value) take(text string) int {
	if v.whole {
		return 0
	}
	for i := range len(text) {
		switch c := text[i]; {
		case v.escaped:
			v.escaped = false
		case v.quoted && c == '\\':
			v.escaped = true
		case c == '"':
			v.quoted = !v.quoted
			v.whole = !v.quoted && v.depth == 0
		case v.quoted:
		case c == '{' || c == '[':
			v.depth++
		case c == '}' || c == ']':
			v.depth--
			v.whole = v.depth <= 0
		}
		if v.whole {
			return i + 1
		}
	}
	return len(text)
}
