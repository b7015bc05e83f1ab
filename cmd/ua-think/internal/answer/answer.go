// Package answer collects what a model says to one request. Text leaves at once as delta
// events, and a call leaves as a tool_call event when it is complete. The whole is kept
// for the response event.
package answer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/failure"
	"ua/cmd/ua-think/internal/usage"
	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// Limits bound one answer, in bytes.
type Limits struct {
	Event int // one event of the stream, and the inputs of an answer's calls
	Text  int // the text and thinking of an answer
}

// An Answer is what the model says to one request. The decoder of a provider feeds it.
// Everything is kept in the form that the response event needs.
type Answer struct {
	Out    *event.Outbox
	Limits Limits
	IDs    map[string]bool // of the conversation's calls: a new call's must differ
	NoCall bool            // calls are not wanted: a late one is dropped

	Blocks []*Block
	Model  string // as the provider calls it
	Stop   string // the neutral stop reason, "" while the model goes on
	Why    string // the provider's words for a refusal, or its own reason
	// It has text that its server marks as a refusal, whatever the stop reason says.
	Refuses bool
	Usage   usage.Usage
	Began   bool // something has left: the request can't be made again
	Calls   int  // that are complete, with those of Broken
	Broken  int  // calls whose input is no JSON object: they are answered by an error

	AtEnd func() // called when it is complete, before its calls leave; may be nil

	Dropped bool // a call was, because of NoCall
	Again   bool // a call came again with nothing to tell it from the first: it counts once
	Unsaid  bool // it ended without a stop reason, and is complete for all that can be told

	thought *Block            // the last of thinking that was added to
	filter  tagFilter         // parts thinking in tags from the text
	marked  map[string]*Block // by the marks of its server: indexes, places, IDs of items
	at      map[string]*Block // its calls by index, which a text may have, too
	given   map[string]*Block // its calls by ID
	call    *Block            // the last call that was added to
	calls   map[string]bool   // the IDs of its calls
	text    int               // bytes of text and thinking so far
	input   int               // bytes of calls' inputs so far
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
// it. Thinking that stands in tags at the beginning of the text gets a block of its own.
// The error is a failure.Failure when the text of the answer is too long.
func (a *Answer) Say(b *Block, text gjson.Result) error {
	if b.Kind == Text && !a.filter.over && text.Type == gjson.String {
		return a.tagged(b, text.Str)
	}
	return a.add(b, escaped(text.Str))
}

// add adds a text, escaped for JSON, to a block and shows it.
func (a *Answer) add(b *Block, escaped string) error {
	if len(escaped) == 0 {
		return nil
	}
	if err := a.Take(len(escaped)); err != nil {
		return err
	}
	if b.Kind == Thinking {
		if a.thought != nil && a.thought != b {
			a.Out.AddDelta(Thinking, `\n`) // two thoughts are not one word
		}
		a.thought = b
	}
	a.Began = true
	b.body = append(b.body, escaped...)
	a.Out.AddDelta(b.Kind, escaped)
	return nil
}

// Take counts n bytes of text or of what belongs to it. The error is a failure.Failure.
func (a *Answer) Take(n int) error {
	if a.text += n; a.text > a.Limits.Text {
		return &failure.Failure{
			Msg:  "the answer's text is longer than " + Size(a.Limits.Text),
			Hint: "--max-text BYTES raises the limit", Status: prog.No,
		}
	}
	return nil
}

// First puts a whole block, JSON text, before all others.
func (a *Answer) First(json string) {
	b := &Block{Kind: Whole, done: true}
	b.Put(json)
	a.Blocks = slices.Insert(a.Blocks, 0, b)
}

// Marked returns the block to which the first of the marks leads that its server has named,
// nil without one.
func (a *Answer) Marked(marks ...string) *Block {
	for _, mark := range marks {
		if b := a.marked[mark]; b != nil {
			return b
		}
	}
	return nil
}

// Mark has marks lead to b.
func (a *Answer) Mark(b *Block, marks ...string) *Block {
	if a.marked == nil {
		a.marked = map[string]*Block{}
	}
	for _, mark := range marks {
		a.marked[mark] = b
	}
	return b
}

// Known returns the blocks that have come, by kind.
func (a *Answer) Known() map[string][]*Block {
	known := map[string][]*Block{}
	for _, b := range a.Blocks {
		known[b.Kind] = append(known[b.Kind], b)
	}
	return known
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

// SayRest takes a text that a server sends as a whole, perhaps after its pieces: b, or the
// text of the answer if b is nil, gets what it does not have of it yet. A whole that does
// not continue the pieces is taken to be the same in other words.
func (a *Answer) SayRest(b *Block, whole gjson.Result) error {
	said := ""
	for _, other := range a.Blocks {
		if other.Kind == Text && (b == nil || b == other) {
			said += other.Plain()
		}
	}
	rest, goesOn := strings.CutPrefix(whole.Str, said)
	switch {
	case !goesOn || a.filter.close != "":
		return nil
	case said == "":
		a.filter.held = ""
	}
	if b == nil {
		return a.SayText(gjson.Result{Type: gjson.String, Str: rest})
	}
	return a.Say(b, gjson.Result{Type: gjson.String, Str: rest})
}

// Size returns how many bytes the model has said, thoughts and the inputs of calls
// included.
func (a *Answer) Size() int { return a.text + a.input }

// Says reports whether the answer has any text that can be seen.
func (a *Answer) Says() bool {
	return slices.ContainsFunc(a.Blocks, func(b *Block) bool {
		return event.Visible(b.Words())
	})
}

// Thought reports whether the answer has any thinking.
func (a *Answer) Thought() bool { return a.thought != nil }

// Content returns the blocks as a JSON array. Of a block that was cut off only text is kept:
// half a call or half a signature is of no use.
func (a *Answer) Content() []byte {
	content := []byte{'['}
	for _, b := range a.Blocks {
		if !b.done && b.Kind != Text || b.Kind == Text && b.Empty() || b.Kind == Unknown {
			continue
		}
		if len(content) > 1 {
			content = append(content, ',')
		}
		content = b.append(content)
	}
	return append(content, ']')
}

// Size returns a number of bytes as people write it.
func Size(n int) string {
	if n >= 1<<20 && n%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}
