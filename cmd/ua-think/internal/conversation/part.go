package conversation

import (
	"unicode/utf8"

	"github.com/tidwall/gjson"
)

// A Message is what one side says. Messages alternate strictly: user, assistant, user.
// The first and the last are the user's.
type Message struct {
	Assistant bool
	Parts     []Part
}

// A Part is one block of a message. Which fields are set depends on its Kind.
type Part struct {
	Kind  string
	Text  string // text, thinking, or a result's output
	ID    string // of a call, or the call that a result answers
	Name  string // of a call's tool, or of the result's call
	Input string // a call's input, a JSON object
	Bad   bool   // a result: the command was not run
	Media []Medium
	Block gjson.Result // the block of a response that the part comes from
	Model string       // PROVIDER/NAME that said it, or the call that a result answers
}

// Tagged returns thinking that stood in tags in the text of the answer, in its tags, "" for
// any other part.
func (p Part) Tagged() string {
	tag := p.Block.Get("tag").Str
	if p.Kind != Thinking || tag == "" {
		return ""
	}
	_, n := utf8.DecodeRuneInString(tag)
	return tag + p.Text + tag[:n] + "/" + tag[n:]
}

// The kinds of a Part.
const (
	Text     = "text"
	Thinking = "thinking"
	Redacted = "redacted" // thinking that only its provider can read
	Provider = "provider" // an item that goes back to its provider as it came
	Call     = "call"
	Result   = "result"
	Media    = "media"
)
