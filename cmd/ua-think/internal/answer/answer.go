// Package answer collects what a model says to one request. Text leaves at once as delta
// events, and a call leaves as a tool_call event when it is complete. The whole is kept
// for the response event.
package answer

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/failure"
	"ua/cmd/ua-think/internal/outbox"
	"ua/cmd/ua-think/internal/usage"
	"ua/internal/common/prog"
)

// Limits bound one answer, in bytes.
type Limits struct {
	Event int // one event of the stream, and the inputs of an answer's calls
	Text  int // the text and thinking of an answer
}

// An Answer is what the model says to one request. The decoder of a provider feeds it.
// Everything is kept in the form that the response event needs, so that a long answer is
// in memory only once.
type Answer struct {
	Out    *outbox.Outbox
	Limits Limits
	IDs    map[string]bool // of the conversation's calls: a new call's must differ
	NoCall bool            // calls are not wanted: a late one is dropped

	Blocks []*Block
	Model  string // as the provider calls it
	Stop   string // the neutral stop reason, "" while the model goes on
	Why    string // the provider's words for a refusal, or its own reason
	Usage  usage.Usage
	Began  bool // something has left: the request can't be made again
	Calls  int  // that are complete

	Dropped bool // a call was, because of NoCall

	thought *Block          // the last of thinking that was added to
	calls   map[string]bool // the IDs of its calls
	text    int             // bytes of text and thinking so far
	input   int             // bytes of calls' inputs so far
	scratch []byte          // of escaped
}

// The kinds of a Block.
const (
	Text     = "text"
	Thinking = "thinking"
	Call     = "tool_use"
	Whole    = "raw"     // carried as the provider wrote it
	Unknown  = "unknown" // passed over, with all that is added to it
)

// Open starts a block of a kind. A block of kind Unknown is not kept.
func (a *Answer) Open(kind string) *Block {
	b := &Block{Kind: kind}
	if kind != Unknown {
		a.Blocks = append(a.Blocks, b)
	}
	return b
}

// Last returns the newest block if it is of that kind and still open, and otherwise opens
// a new one.
func (a *Answer) Last(kind string) *Block {
	if n := len(a.Blocks); n > 0 && a.Blocks[n-1].Kind == kind && !a.Blocks[n-1].done {
		return a.Blocks[n-1]
	}
	return a.Open(kind)
}

// Say adds text, the value of a JSON string, to a block of text or thinking, and shows
// it. The error is a failure.Failure when the text of the answer is too long.
func (a *Answer) Say(b *Block, text gjson.Result) error {
	escaped := a.escaped(text)
	if len(escaped) == 0 {
		return nil
	}
	if a.text += len(escaped); a.text > a.Limits.Text {
		return &failure.Failure{
			Msg:  "the answer's text is longer than " + Size(a.Limits.Text),
			Hint: "--max-text BYTES lifts the limit", Status: prog.No,
		}
	}
	if b.Kind == Thinking {
		if a.thought != nil && a.thought != b {
			a.Out.AddDelta(Thinking, `\n`) // two thoughts are not one word
		}
		a.thought = b
	}
	a.Began = true
	b.body.add(escaped)
	a.Out.AddDelta(b.Kind, escaped)
	return nil
}

// SayText adds to the text of the answer, which ends any thinking before it. An empty
// text opens no block.
func (a *Answer) SayText(text gjson.Result) error {
	if text.Type != gjson.String || len(text.Str) == 0 {
		return nil
	}
	if n := len(a.Blocks); n > 0 && a.Blocks[n-1].Kind == Thinking {
		a.Close(a.Blocks[n-1])
	}
	return a.Say(a.Last(Text), text)
}

// SayThinking adds to the thinking of the answer. An empty text opens no block.
func (a *Answer) SayThinking(text gjson.Result) error {
	if text.Type != gjson.String || len(text.Str) == 0 {
		return nil
	}
	return a.Say(a.Last(Thinking), text)
}

// Feed adds a piece of the input of a call: JSON text inside a JSON string. Pieces need
// not end where tokens do.
func (a *Answer) Feed(b *Block, piece gjson.Result) error {
	if piece.Type != gjson.String {
		return nil
	}
	return a.FeedJSON(b, piece.Str)
}

// FeedJSON adds a piece of the input of a call: JSON text. The error is a failure.Failure
// when the inputs of all calls are too long.
func (a *Answer) FeedJSON(b *Block, piece string) error {
	if a.input += len(piece); a.input > a.Limits.Event {
		return &failure.Failure{
			Msg:  "the inputs of the answer's calls are longer than " + Size(a.Limits.Event),
			Hint: "--max-event BYTES lifts the limit", Status: prog.No,
		}
	}
	b.body.add(piece)
	return nil
}

// Replace replaces everything that was fed to a call by input, JSON text inside a JSON
// string.
func (a *Answer) Replace(b *Block, input gjson.Result) error {
	a.input -= b.body.size
	b.body = rope{}
	return a.Feed(b, input)
}

// Call starts a call of the tool name. An ID that is missing, or that was used before, is
// replaced by a random one, since results are matched to calls by ID. Where no calls are
// wanted, the block is of kind Unknown.
func (a *Answer) Call(id, name string) *Block {
	if a.NoCall {
		a.Dropped = true
		return a.Open(Unknown)
	}
	b := a.Open(Call)
	b.Given, b.Name = id, name
	for id == "" || a.IDs[id] || a.calls[id] {
		var r [9]byte
		rand.Read(r[:])
		id = "call_" + hex.EncodeToString(r[:])
	}
	if a.calls == nil {
		a.calls = map[string]bool{}
	}
	a.calls[id] = true
	b.ID = id
	return b
}

// Size returns how many bytes the model has said, thoughts and the inputs of calls
// included.
func (a *Answer) Size() int { return a.text + a.input }

// Says reports whether the answer has any text.
func (a *Answer) Says() bool {
	return slices.ContainsFunc(a.Blocks, func(b *Block) bool {
		return b.Kind == Text &&
			!b.Empty()
	})
}

// CloseAll ends all blocks.
func (a *Answer) CloseAll() {
	for _, b := range a.Blocks {
		a.Close(b)
	}
}

// Content returns the blocks as the parts of a JSON array. Of a block that was cut off
// only text is kept: half a call or half a signature is of no use.
func (a *Answer) Content() (parts [][]byte) {
	sep := "["
	for _, b := range a.Blocks {
		if !b.done && b.Kind != Text || b.Kind == Text && b.body.size == 0 {
			continue
		}
		parts = append(parts, []byte(sep))
		parts = append(parts, b.json()...)
		sep = ","
	}
	if sep == "[" {
		return [][]byte{[]byte("[]")}
	}
	return append(parts, []byte("]"))
}

// Size returns a number of bytes as people write it.
func Size(n int) string {
	if n >= 1<<20 && n%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}
