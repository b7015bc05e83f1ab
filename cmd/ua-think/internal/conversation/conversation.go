// Package conversation turns the events of a run into the messages that every provider
// takes: user and model in turn, with exactly one result for each call. It is a pure
// function of the events. The same lines give the same request, whether they are fed turn
// by turn or all at once.
package conversation

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
)

// A Conversation is what has come in since the last run event. Each line is parsed once,
// when it comes.
type Conversation struct {
	System   string // the system prompt, or ""
	Tools    string // a JSON array in the form of Anthropic's Messages API, or ""
	Run      string // the run's id, or ""
	Messages []Message
	pending  []gjson.Result // events since the last response
	noTools  bool
}

// cutOff stands between two answers of the model with nothing from the user in between,
// of which the first was cut off.
const cutOff = "[The answer was cut off here. Go on from where it stopped.]"

// New returns an empty conversation with the prompt and tools of package event, which a
// system event replaces. system, if it is not empty, replaces that prompt. With noTools
// there are neither tools nor a default prompt.
func New(system string, noTools bool) *Conversation {
	c := &Conversation{System: event.DefaultPrompt, Tools: event.DefaultTools, noTools: noTools}
	if noTools {
		c.System, c.Tools = "", ""
	}
	if system != "" {
		c.System = system
	}
	return c
}

// NoTools reports whether the model is to call nothing, even if the conversation declares
// tools.
func (c *Conversation) NoTools() bool { return c.noTools }

// Now returns the conversation in the form that providers accept. The first and the last
// message are the user's. Each call has exactly one result, in the message after it and
// in the same order. There is no result without its call. Now does not change c.
func (c *Conversation) Now() *Conversation {
	d := *c
	d.Messages = slices.Clone(c.Messages)
	// The last message may grow below; clipped, it cannot grow into c's array.
	if n := len(d.Messages); n > 0 {
		d.Messages[n-1].Parts = slices.Clip(d.Messages[n-1].Parts)
	}
	d.flush(c.pending)
	n := len(d.Messages)
	if n == 0 {
		return &d
	}
	if d.Messages[n-1].Assistant {
		d.Messages = append(d.Messages, Message{})
	}
	d.settle()
	return &d
}

// Add takes the next line of the journal. Lines that mean nothing to a model are ignored.
func (c *Conversation) Add(line string) {
	switch ev := gjson.Parse(line); ev.Get("type").Str {
	case "run":
		c.Run = ev.Get("id").Str
	case "system":
		if t := ev.Get("text"); t.Type == gjson.String {
			c.System = t.Str
		}
		if c.Tools = ""; !c.noTools {
			if t := ev.Get("tools"); t.IsArray() && t.Get("#").Int() > 0 {
				c.Tools = t.Raw
			}
		}
	case "response":
		c.response(ev)
	case "instruction", "shell_command", "message", "checkpoint", "check", "tool_call",
		"tool_result":
		c.pending = append(c.pending, ev)
	case "error":
		if ev.Get("call_id").Str != "" {
			c.pending = append(c.pending, ev)
		}
	}
}

// response ends a turn. Events that came after the last response and before the first
// call of this one were there when the model was asked. The rest are results of its
// calls.
func (c *Conversation) response(ev gjson.Result) {
	ids := map[string]bool{}
	blocks := ev.Get("content").Array()
	for _, block := range blocks {
		if block.Get("type").Str == "tool_use" {
			ids[block.Get("id").Str] = true
		}
	}
	// What came before the first of its calls belongs before the answer, and the rest
	// after it.
	split := len(c.pending)
	for i, p := range c.pending {
		typ := p.Get("type").Str
		if typ == "tool_call" && ids[p.Get("id").Str] || typ == "error" &&
			ids[p.Get("call_id").Str] {
			split = i
			break
		}
	}
	after := c.pending[split:]
	c.flush(c.pending[:split])
	c.pending = nil
	c.say(true, said(blocks, ev.Get("model").Str)...)
	for _, p := range after {
		if id := p.Get("id").Str; p.Get("type").Str != "tool_call" || !ids[id] {
			c.pending = append(c.pending, p)
		}
	}
}

// Paused returns c, as Now returns it, with an answer that the same turn is to continue:
// content is what model has said so far.
func (c *Conversation) Paused(content, model string) *Conversation {
	d := *c
	if parts := said(gjson.Parse(content).Array(), model); len(parts) > 0 {
		last := &parts[len(parts)-1] // which must not end in blanks
		last.Text = strings.TrimRight(last.Text, " \t\r\n")
		d.Messages = append(slices.Clip(d.Messages), Message{true, parts})
	}
	return &d
}

// said returns the blocks of a response as parts.
func said(blocks []gjson.Result, model string) (parts []Part) {
	for _, block := range blocks {
		if p, ok := responsePart(block, model); ok {
			parts = append(parts, p)
		}
	}
	return spoken(parts)
}

// spoken returns an answer up to its last text or call. Thinking after that was cut off,
// and no provider takes it back.
func spoken(parts []Part) []Part {
	n := len(parts)
	for n > 0 && parts[n-1].Kind != Text && parts[n-1].Kind != Call {
		n--
	}
	return parts[:n]
}

// responsePart returns a block of a response as a part. The result is false for a block
// that has no place in a request, such as an empty text.
func responsePart(block gjson.Result, model string) (Part, bool) {
	p := Part{Block: block, Model: model}
	switch block.Get("type").Str {
	case "text":
		p.Kind, p.Text = Text, block.Get("text").Str
		return p, strings.TrimSpace(p.Text) != ""
	case "thinking":
		p.Kind, p.Text = Thinking, block.Get("thinking").Str
		return p, block.Get("thinking").Type == gjson.String
	case "redacted_thinking":
		p.Kind = Redacted
		return p, true
	case "provider":
		p.Kind = Provider
		return p, true
	case "tool_use":
		p, ok := callPart(block)
		p.Block, p.Model = block, model
		return p, ok
	}
	return p, false
}

// flush makes messages of events that no response ends. Calls among them belong to
// answers that were lost, and stand for these. A call after words of the user starts
// another answer.
func (c *Conversation) flush(events []gjson.Result) {
	var calls, results, texts []Part
	end := func() {
		c.say(true, calls...)
		c.say(false, append(results, texts...)...)
		calls, results, texts = nil, nil, nil
	}
	for _, ev := range events {
		switch ev.Get("type").Str {
		case "tool_call":
			if len(texts) > 0 || len(results) > 0 && len(calls) == 0 {
				end()
			}
			if p, ok := callPart(ev); ok {
				calls = append(calls, p)
			}
		case "tool_result", "error":
			results = append(results, resultPart(ev))
		default:
			texts = append(texts, userParts(ev)...)
		}
	}
	end()
}

// callPart returns the call of a tool_call event or of a block of a response.
func callPart(v gjson.Result) (Part, bool) {
	p := Part{Kind: Call, ID: v.Get("id").Str, Name: v.Get("name").Str, Input: v.Get("input").Raw}
	if !v.Get("input").IsObject() {
		p.Input = "{}"
	}
	return p, p.ID != "" && p.Name != ""
}

// say adds parts to the conversation, within the last message if that is of the same
// side. If an answer follows an answer, a message of the user is put between them.
func (c *Conversation) say(assistant bool, parts ...Part) {
	if len(parts) == 0 {
		return
	}
	n := len(c.Messages)
	same := n > 0 && c.Messages[n-1].Assistant == assistant
	if same && !assistant {
		c.Messages[n-1].Parts = append(c.Messages[n-1].Parts, parts...)
		return
	}
	if assistant {
		if n == 0 || same {
			c.Messages = append(c.Messages, Message{})
		}
		c.settle()
	}
	c.Messages = append(c.Messages, Message{assistant, parts})
}

// settle completes the last message, which is the user's: it answers the calls before it
// and is never empty.
func (c *Conversation) settle() {
	n := len(c.Messages)
	var calls []Part
	if n > 1 {
		calls = c.Messages[n-2].Parts
	}
	m := &c.Messages[n-1]
	if m.Parts = answerCalls(calls, m.Parts); len(m.Parts) == 0 {
		m.Parts = []Part{{Kind: Text, Text: cutOff}}
	}
}

// answerCalls returns parts in which one result for each call in said comes first, and no
// other result. A call without a result gets one that says so, as providers refuse a call
// without.
func answerCalls(said, parts []Part) []Part {
	var out []Part
	for _, call := range said {
		if call.Kind != Call {
			continue
		}
		r := Part{
			Kind: Result, ID: call.ID, Bad: true,
			Text: "[interrupted: it is not known whether this command ran]",
		}
		for _, p := range parts {
			if p.Kind == Result && p.ID == call.ID {
				r = p
				break
			}
		}
		r.Name, r.Model = call.Name, call.Model
		out = append(out, r)
	}
	for _, p := range parts {
		if p.Kind != Result {
			out = append(out, p)
		}
	}
	return out
}

// CacheKey returns a name of the conversation for the provider's cache: the ID of its
// run, or a hash of how it begins.
func (c *Conversation) CacheKey() string {
	if c.Run != "" {
		return "ua-" + c.Run
	}
	h := sha256.New()
	h.Write([]byte(c.System))
	if len(c.Messages) > 0 && len(c.Messages[0].Parts) > 0 {
		h.Write([]byte(c.Messages[0].Parts[0].Text))
	}
	return "ua-" + hex.EncodeToString(h.Sum(nil)[:8])
}

// Called reports whether the model has called a tool in it.
func (c *Conversation) Called() bool {
	return slices.ContainsFunc(c.Messages, func(m Message) bool {
		return slices.ContainsFunc(m.Parts, func(p Part) bool { return p.Kind == Call })
	})
}
