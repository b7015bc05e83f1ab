package main

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"ua/internal/common/prompt"
)

// A conversation is what a provider is asked with. It is a pure function of the
// lines that came in since the last run event, so that the same lines give the
// same request, fed turn by turn or all at once. Each line is read once, when
// it comes.
type conversation struct {
	system   string // a JSON string
	tools    string // a JSON array in the form of Anthropic's Messages API, or ""
	run      string // the run's id, or ""
	messages []message
	pending  []gjson.Result // events since the last response
	noTools  bool
}

// A message alternates strictly: user, assistant, user. The first and the last
// one are the user's.
type message struct {
	assistant bool
	parts     []part
}

// A part is one block of a message. text is a JSON string with its quotes, so
// that it goes into a request as it came.
type part struct {
	kind  string // text, thinking, redacted, provider, call, result, or media
	text  string // text, thinking, a result's output; of redacted and provider the whole block
	id    string // of a call or the call that a result answers, as a JSON string
	name  string // of a call or of the result's call, as a JSON string
	input string // a call's input, a JSON object
	bad   bool   // a result: the command was not run, or a medium can't be sent
	media []medium
	block gjson.Result // the block of a response that the part comes from
	model string       // PROVIDER/NAME that said it
}

// cutOff stands between two answers with nothing said between them: the first
// was cut off.
const cutOff = `"[The answer was cut off here. Go on from where it stopped.]"`

// newConversation is an empty one, with the prompt and tools that hold unless a
// system event brings others.
func newConversation(o *options) *conversation {
	c := &conversation{system: quoted(prompt.System), tools: prompt.Tools, noTools: o.noTools}
	if o.noTools {
		c.system, c.tools = `""`, ""
	}
	if o.system != "" {
		c.system = quoted(o.system)
	}
	return c
}

// now is the conversation as a provider takes it: the first and last message
// are the user's, each call is answered once, in the message after it and in
// its order, and no result stands without its call.
func (c *conversation) now() *conversation {
	d := *c
	d.messages = slices.Clone(c.messages)
	if n := len(d.messages); n > 0 {
		d.messages[n-1].parts = slices.Clip(d.messages[n-1].parts)
	}
	d.flush(c.pending)
	n := len(d.messages)
	if n == 0 {
		return &d
	}
	if d.messages[n-1].assistant {
		d.messages = append(d.messages, message{})
	}
	d.settle()
	return &d
}

// add takes the next line.
func (c *conversation) add(line string) {
	switch ev := gjson.Parse(line); ev.Get("type").Str {
	case "run":
		c.run = ev.Get("id").Str
	case "system":
		if t := ev.Get("text"); t.Type == gjson.String {
			c.system = t.Raw
		}
		if c.tools = ""; !c.noTools {
			if t := ev.Get("tools"); t.IsArray() && t.Get("#").Int() > 0 {
				c.tools = t.Raw
			}
		}
	case "response":
		c.response(ev)
	case "instruction", "shell_command", "message", "checkpoint", "tool_call", "tool_result":
		c.pending = append(c.pending, ev)
	case "error":
		if ev.Get("call_id").Str != "" {
			c.pending = append(c.pending, ev)
		}
	}
}

// response ends a turn. What came since the last one and before this one's
// first call was there when the model was asked; the rest answers its calls.
func (c *conversation) response(ev gjson.Result) {
	ids := map[string]bool{}
	blocks := ev.Get("content").Array()
	for _, block := range blocks {
		if block.Get("type").Str == "tool_use" {
			ids[block.Get("id").Str] = true
		}
	}
	split := len(c.pending)
	for i, p := range c.pending {
		typ := p.Get("type").Str
		if typ == "tool_call" && ids[p.Get("id").Str] || typ == "error" && ids[p.Get("call_id").Str] {
			split = i
			break
		}
	}
	after := c.pending[split:]
	c.flush(c.pending[:split])
	c.pending = nil
	var parts []part
	for _, block := range blocks {
		if p, ok := responsePart(block, ev.Get("model").Str); ok {
			parts = append(parts, p)
		}
	}
	c.say(true, spoken(parts)...)
	for _, p := range after {
		if id := p.Get("id").Str; p.Get("type").Str != "tool_call" || !ids[id] {
			c.pending = append(c.pending, p)
		}
	}
}

// spoken is an answer up to its last word or call. Thoughts that led to none
// were cut off, and no provider takes them back.
func spoken(parts []part) []part {
	n := len(parts)
	for n > 0 && parts[n-1].kind != "text" && parts[n-1].kind != "call" {
		n--
	}
	return parts[:n]
}

func responsePart(block gjson.Result, model string) (part, bool) {
	p := part{block: block, model: model}
	switch block.Get("type").Str {
	case "text":
		p.kind, p.text = "text", block.Get("text").Raw
		return p, strings.TrimSpace(block.Get("text").Str) != ""
	case "thinking":
		p.kind, p.text = "thinking", block.Get("thinking").Raw
		return p, p.text != ""
	case "redacted_thinking":
		p.kind, p.text = "redacted", block.Raw
		return p, true
	case "provider":
		p.kind, p.text = "provider", block.Raw
		return p, true
	case "tool_use":
		p, ok := callPart(block)
		p.block, p.model = block, model
		return p, ok
	}
	return p, false
}

// flush makes messages of events that no response ends. Calls among them belong
// to answers that were lost: they stand for them. A call after words of the
// user begins another answer.
func (c *conversation) flush(events []gjson.Result) {
	var calls, results, texts []part
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

// callPart is a call, of a tool_call event or a block of a response.
func callPart(v gjson.Result) (part, bool) {
	p := part{kind: "call", id: rawID(v.Get("id")), name: v.Get("name").Raw, input: v.Get("input").Raw}
	if !v.Get("input").IsObject() {
		p.input = "{}"
	}
	return p, v.Get("id").Str != "" && v.Get("name").Str != ""
}

// rawID is an id as a JSON string that is the same for the same id.
func rawID(v gjson.Result) string {
	if strings.ContainsRune(v.Raw, '\\') {
		return quoted(v.Str)
	}
	return v.Raw
}

// say adds parts to the conversation, to the last message if it is of the same
// side. An answer that follows an answer gets a word between.
func (c *conversation) say(assistant bool, parts ...part) {
	if len(parts) == 0 {
		return
	}
	n := len(c.messages)
	same := n > 0 && c.messages[n-1].assistant == assistant
	if same && !assistant {
		c.messages[n-1].parts = append(c.messages[n-1].parts, parts...)
		return
	}
	if assistant {
		if n == 0 || same {
			c.messages = append(c.messages, message{})
		}
		c.settle()
	}
	c.messages = append(c.messages, message{assistant, parts})
}

// settle ends the last message, the user's.
func (c *conversation) settle() {
	n := len(c.messages)
	var calls []part
	if n > 1 {
		calls = c.messages[n-2].parts
	}
	m := &c.messages[n-1]
	if m.parts = answerCalls(calls, m.parts); len(m.parts) == 0 {
		m.parts = []part{{kind: "text", text: cutOff}}
	}
}

// answerCalls is parts with one result for each call among said first, and no
// other result.
func answerCalls(said, parts []part) []part {
	var out []part
	for _, call := range said {
		if call.kind != "call" {
			continue
		}
		r := part{kind: "result", id: call.id, text: `"[interrupted: it is not known whether this command ran]"`, bad: true}
		for _, p := range parts {
			if p.kind == "result" && p.id == call.id {
				r = p
				break
			}
		}
		r.name = call.name
		out = append(out, r)
	}
	for _, p := range parts {
		if p.kind != "result" {
			out = append(out, p)
		}
	}
	return out
}

// cacheKey names the conversation for a provider's cache: its run, or what it
// begins with.
func (c *conversation) cacheKey() string {
	if c.run != "" {
		return "ua-" + c.run
	}
	h := sha256.New()
	h.Write([]byte(c.system))
	if len(c.messages) > 0 && len(c.messages[0].parts) > 0 {
		h.Write([]byte(c.messages[0].parts[0].text))
	}
	return "ua-" + hex.EncodeToString(h.Sum(nil)[:8])
}

// called says whether the model called anything.
func (c *conversation) called() bool {
	for _, m := range c.messages {
		for _, p := range m.parts {
			if p.kind == "call" {
				return true
			}
		}
	}
	return false
}
