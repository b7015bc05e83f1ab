package main

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/tidwall/gjson"

	"ua/internal/common/prompt"
)

// A conversation is what a provider is asked with. It is a pure function of the
// lines that came in since the last run event, so that the same lines give the
// same request, fed turn by turn or all at once.
type conversation struct {
	system   string // a JSON string
	tools    string // a JSON array in the form of Anthropic's Messages API, or ""
	run      string // the run's id, or ""
	messages []message
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

// A builder makes messages of lines.
type builder struct {
	c       *conversation
	pending []gjson.Result // events since the last response
}

// converse reads a conversation from its lines.
func converse(lines []string, o *options) *conversation {
	c := &conversation{system: quoted(prompt.System), tools: prompt.Tools}
	if o.noTools {
		c.system, c.tools = `""`, ""
	}
	if o.system != "" {
		c.system = quoted(o.system)
	}
	b := &builder{c: c}
	for _, line := range lines {
		b.add(gjson.Parse(line), o.noTools)
	}
	b.flush(b.pending)
	c.settle()
	return c
}

func (b *builder) add(ev gjson.Result, noTools bool) {
	switch ev.Get("type").Str {
	case "run":
		b.c.run = ev.Get("id").Str
	case "system":
		if t := ev.Get("text"); t.Type == gjson.String {
			b.c.system = t.Raw
		}
		if b.c.tools = ""; !noTools {
			if t := ev.Get("tools"); t.IsArray() && t.Get("#").Int() > 0 {
				b.c.tools = t.Raw
			}
		}
	case "response":
		b.response(ev)
	case "instruction", "shell_command", "message", "checkpoint", "tool_call", "tool_result":
		b.pending = append(b.pending, ev)
	case "error":
		if ev.Get("call_id").Str != "" {
			b.pending = append(b.pending, ev)
		}
	}
}

// response ends a turn. What came since the last one and before this one's
// first call was there when the model was asked; the rest answers its calls.
func (b *builder) response(ev gjson.Result) {
	ids := map[string]bool{}
	blocks := ev.Get("content").Array()
	for _, block := range blocks {
		if block.Get("type").Str == "tool_use" {
			ids[block.Get("id").Str] = true
		}
	}
	split := len(b.pending)
	for i, p := range b.pending {
		typ := p.Get("type").Str
		if typ == "tool_call" && ids[p.Get("id").Str] || typ == "error" && ids[p.Get("call_id").Str] {
			split = i
			break
		}
	}
	after := b.pending[split:]
	b.flush(b.pending[:split])
	b.pending = nil
	var parts []part
	for _, block := range blocks {
		if p, ok := responsePart(block, ev.Get("model").Str); ok {
			parts = append(parts, p)
		}
	}
	b.c.say(true, spoken(parts)...)
	for _, p := range after {
		if id := p.Get("id").Str; p.Get("type").Str != "tool_call" || !ids[id] {
			b.pending = append(b.pending, p)
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
		return callPart(block)
	}
	return p, false
}

// flush makes messages of events that no response ends. Calls among them belong
// to answers that were lost: they stand for them. A call after words of the
// user begins another answer.
func (b *builder) flush(events []gjson.Result) {
	var calls, results, texts []part
	end := func() {
		b.c.say(true, calls...)
		b.c.say(false, append(results, texts...)...)
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
	p := part{kind: "call", id: v.Get("id").Raw, name: v.Get("name").Raw, input: v.Get("input").Raw}
	if !v.Get("input").IsObject() {
		p.input = "{}"
	}
	return p, v.Get("id").Str != "" && v.Get("name").Str != ""
}

// say adds parts to the conversation, to the last message if it is of the same
// side. An answer that follows an answer gets a word between.
func (c *conversation) say(assistant bool, parts ...part) {
	if len(parts) == 0 {
		return
	}
	n := len(c.messages)
	if n > 0 && c.messages[n-1].assistant == assistant {
		if !assistant {
			c.messages[n-1].parts = append(c.messages[n-1].parts, parts...)
			return
		}
		c.messages = append(c.messages, message{parts: []part{}})
	}
	c.messages = append(c.messages, message{assistant, parts})
}

// settle makes the conversation one that every provider takes: the first and
// last message are the user's, each call is answered once, in the message
// after it and in its order, and no result stands without its call.
func (c *conversation) settle() {
	if len(c.messages) > 0 && c.messages[0].assistant {
		c.messages = append([]message{{}}, c.messages...)
	}
	if n := len(c.messages); n > 0 && c.messages[n-1].assistant {
		c.messages = append(c.messages, message{})
	}
	var calls []part
	for i := range c.messages {
		m := &c.messages[i]
		if m.assistant {
			calls = calls[:0]
			for _, p := range m.parts {
				if p.kind == "call" {
					calls = append(calls, p)
				}
			}
			continue
		}
		m.parts = answerCalls(calls, m.parts)
		if calls = calls[:0]; len(m.parts) == 0 {
			m.parts = []part{{kind: "text", text: cutOff}}
		}
	}
}

// answerCalls puts one result for each call first.
func answerCalls(calls, parts []part) []part {
	var out []part
	for _, call := range calls {
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
