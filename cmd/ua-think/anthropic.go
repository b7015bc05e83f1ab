package main

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/sse"
	"ua/internal/common/prog"
)

// anthropic asks by the Messages API (platform.claude.com/docs/en/api/messages).
func anthropic(m model, r *request) call {
	h := http.Header{"Anthropic-Version": {"2023-06-01"}}
	switch {
	case m.key == "":
	case m.bearer:
		h.Set("Authorization", "Bearer "+m.key)
	default:
		h.Set("X-Api-Key", m.key)
	}
	return call{
		url:    join(m.base, "/v1", "/messages"),
		header: h,
		body:   anthropicBody(m, r),
		decode: func(body io.Reader, a *answer) error {
			return events(body, a, (&anthropicStream{provider: m.provider}).event)
		},
	}
}

// breakpoint marks the end of a prefix that the provider is to keep. There are
// at most four in a request: tools, system and the last two of the user's
// messages, so that the next request finds what this one wrote.
const breakpoint = `,"cache_control":{"type":"ephemeral"}`

func anthropicBody(m model, r *request) []byte {
	c := r.talk
	b := make([]byte, 0, r.size())
	b = append(b, `{"model":`...)
	b = append(b, quoted(m.name)...)
	b = append(b, `,"max_tokens":`...)
	b = strconv.AppendInt(b, int64(r.maxTokens(32000)), 10)
	b = append(b, `,"stream":true`...)
	b = anthropicEffort(b, m, r)
	b = anthropicTools(b, r)
	if c.system != `""` {
		b = append(append(b, `,"system":[{"type":"text","text":`...), c.system...)
		b = append(append(b, breakpoint...), `}]`...)
	}
	b = append(b, `,"messages":[`...)
	mark := marks(c.messages)
	for i, msg := range c.messages {
		if i > 0 {
			b = append(b, ',')
		}
		if msg.assistant {
			b = append(b, `{"role":"assistant","content":[`...)
		} else {
			b = append(b, `{"role":"user","content":[`...)
		}
		at := len(b)
		for _, p := range msg.parts {
			b = anthropicPart(b, m, p, at)
		}
		if i == mark[0] || i == mark[1] {
			b = append(append(b[:len(b)-1], breakpoint...), '}')
		}
		b = append(b, `]}`...)
	}
	return append(b, `]}`...)
}

func anthropicTools(b []byte, r *request) []byte {
	tools, choice := r.tools()
	if len(tools) == 0 {
		return b
	}
	b = append(b, `,"tools":[`...)
	for _, t := range tools {
		b = append(append(b, t.Raw...), ',')
	}
	b = append(append(b[:len(b)-2], breakpoint...), `}]`...)
	if choice != "" {
		b = append(b, `,"tool_choice":{"type":"none"}`...)
	}
	return b
}

// marks is where the last two of the user's messages stand.
func marks(messages []message) (at [2]int) {
	at = [2]int{-1, -1}
	n := 0
	for i := len(messages) - 1; i >= 0 && n < 2; i-- {
		if !messages[i].assistant {
			at[n] = i
			n++
		}
	}
	return at
}

// anthropicEffort adds what says how hard to think, and the answer's schema.
func anthropicEffort(b []byte, m model, r *request) []byte {
	switch {
	case r.o.thinking > 0 && thoughtKept(m, r.talk.messages):
		b = append(b, `,"thinking":{"type":"enabled","budget_tokens":`...)
		b = append(strconv.AppendInt(b, int64(r.o.thinking), 10), '}')
	case r.o.thinking == 0:
		b = append(b, `,"thinking":{"type":"disabled"}`...)
	case r.o.effort != "" && r.o.thinking < 0:
		b = append(b, `,"thinking":{"type":"adaptive"}`...)
	}
	if r.o.effort == "" && r.schema == "" {
		return b
	}
	b = append(b, `,"output_config":{`...)
	if r.o.effort != "" {
		b = append(append(b, `"effort":`...), quoted(r.o.effort)...)
	}
	if r.schema != "" {
		if r.o.effort != "" {
			b = append(b, ',')
		}
		b = append(append(append(b, `"format":{"type":"json_schema","schema":`...), r.schema...), '}')
	}
	return append(b, '}')
}

// thoughtKept says whether the answer that a request goes on with begins with
// its thoughts. Without them (its calls came from a lost answer, or from another
// provider) a request with a budget for thinking would be refused.
func thoughtKept(m model, messages []message) bool {
	n := len(messages)
	if n < 2 || messages[n-1].parts[0].kind != "result" {
		return true
	}
	first := messages[n-2].parts[0]
	return m.said(first) && (first.kind == "redacted" || first.kind == "thinking" && first.block.Get("signature").Type == gjson.String)
}

// anthropicPart adds a content block. at is where the message's blocks begin.
func anthropicPart(b []byte, m model, p part, at int) []byte {
	from := len(b)
	if from > at {
		b = append(b, ',')
	}
	switch p.kind {
	case "text":
		return append(append(append(b, `{"type":"text","text":`...), p.text...), '}')
	case "thinking":
		sig := p.block.Get("signature")
		if sig.Type != gjson.String || !m.said(p) {
			return b[:from]
		}
		b = append(append(b, `{"type":"thinking","thinking":`...), p.text...)
		return append(append(append(b, `,"signature":`...), sig.Raw...), '}')
	case "redacted":
		if !m.said(p) {
			return b[:from]
		}
		return append(b, p.text...)
	case "call":
		b = append(append(append(b, `{"type":"tool_use","id":`...), anthropicID(p.id)...), `,"name":`...)
		return append(append(append(append(b, p.name...), `,"input":`...), p.input...), '}')
	case "result":
		b = append(append(append(b, `{"type":"tool_result","tool_use_id":`...), anthropicID(p.id)...), `,"content":[`...)
		if p.text != `""` {
			b = append(append(append(b, `{"type":"text","text":`...), p.text...), `},`...)
		}
		for _, md := range p.media {
			b = append(anthropicMedium(b, md), ',')
		}
		if b[len(b)-1] = ']'; p.bad {
			b = append(b, `,"is_error":true`...)
		}
		return append(b, '}')
	case "media":
		return anthropicMedium(b, p.media[0])
	}
	return b[:from]
}

// anthropicID is a call's id in the letters that the API takes; other providers'
// ids may have more.
func anthropicID(id string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '"', r == '_', r == '-', '0' <= r && r <= '9', 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z':
			return r
		}
		return '_'
	}, id)
}

func anthropicMedium(b []byte, md medium) []byte {
	typ := "image"
	switch {
	case md.pdf():
		typ = "document"
	case !md.image():
		return append(append(append(b, `{"type":"text","text":`...), md.apology()...), '}')
	}
	b = append(append(append(b, `{"type":"`...), typ...), `","source":{"type":"base64","media_type":`...)
	b = append(append(b, quoted(md.typ)...), `,"data":`...)
	return append(append(b, quoted(md.data)...), `}}`...)
}

// An anthropicStream decodes the events of one streamed message.
type anthropicStream struct {
	provider string
	at       map[int64]*block // by the event's index
}

func (s *anthropicStream) event(a *answer, ev sse.Event, data gjson.Result) error {
	typ, index, delta := pick3(data, "type", "index", "delta")
	switch typ.Str {
	case "message_start":
		a.model = strings.Clone(data.Get("message.model").Str)
		s.usage(a, data.Get("message.usage"))
	case "content_block_start":
		return s.start(a, index.Int(), data.Get("content_block"))
	case "content_block_delta":
		return s.delta(a, s.at[index.Int()], delta)
	case "content_block_stop":
		if b := s.at[index.Int()]; b != nil {
			a.close(b)
		}
	case "message_delta":
		s.usage(a, data.Get("usage"))
		if why := delta.Get("stop_reason"); why.Type == gjson.String {
			a.stop = anthropicStop(why.Str)
			a.why = strings.Clone(why.Str)
			if d := delta.Get("stop_details.explanation").Str; d != "" {
				a.why = strings.Clone(d)
			}
		}
	case "message_stop":
		if a.stop == "" {
			a.stop = "end_turn"
		}
		return errDone
	case "error":
		return apiFailure(s.provider, 0, errorType([]byte(data.Raw)), errorText([]byte(data.Raw)))
	}
	return nil
}

func anthropicStop(why string) string {
	switch why {
	case "tool_use", "max_tokens", "refusal":
		return why
	case "model_context_window_exceeded":
		return "max_tokens"
	case "pause_turn":
		return "interrupted"
	}
	return "end_turn"
}

func (s *anthropicStream) start(a *answer, index int64, blk gjson.Result) error {
	if s.at == nil {
		s.at = map[int64]*block{}
	}
	switch blk.Get("type").Str {
	case "text":
		b := a.open("text")
		s.at[index] = b
		return a.say(b, blk.Get("text"))
	case "thinking":
		b := a.open("thinking")
		s.at[index] = b
		if sig := blk.Get("signature"); len(sig.Str) > 0 {
			b.extra = append([]byte(`,"signature":`), sig.Raw...)
		}
		return a.say(b, blk.Get("thinking"))
	case "tool_use":
		b := a.call(blk.Get("id").Str, blk.Get("name").Str)
		s.at[index] = b
		if in := blk.Get("input"); in.IsObject() && in.Raw != "{}" {
			return a.feedRaw(b, in.Raw)
		}
	case "redacted_thinking":
		b := a.open("raw")
		b.body.add([]byte(oneLine(blk.Raw)))
		s.at[index] = b
	default:
		s.at[index] = &block{kind: "unknown"}
	}
	return nil
}

var errNoBlock = errors.New("the stream adds to a block that it never started")

// delta adds to a block what is for its kind; what is not known is passed over.
func (s *anthropicStream) delta(a *answer, b *block, d gjson.Result) error {
	typ, text, input := pick3(d, "type", "text", "partial_json")
	want := ""
	switch typ.Str {
	case "text_delta":
		want = "text"
	case "thinking_delta", "signature_delta":
		want = "thinking"
	case "input_json_delta":
		want = "tool_use"
	default:
		return nil
	}
	switch {
	case b != nil && b.kind == "unknown":
		return nil
	case b == nil || b.done || b.kind != want:
		return cut(errNoBlock)
	}
	switch typ.Str {
	case "text_delta":
		return a.say(b, text)
	case "thinking_delta":
		return a.say(b, d.Get("thinking"))
	case "input_json_delta":
		return a.feed(b, input)
	}
	if sig := d.Get("signature"); sig.Type == gjson.String {
		b.extra = append([]byte(`,"signature":`), sig.Raw...)
	}
	return nil
}

// usage takes the counts that an event brings; later ones stand for the whole.
func (s *anthropicStream) usage(a *answer, u gjson.Result) {
	take(&a.usage.input, u.Get("input_tokens"))
	take(&a.usage.cacheRead, u.Get("cache_read_input_tokens"))
	take(&a.usage.cacheWrite, u.Get("cache_creation_input_tokens"))
	take(&a.usage.output, u.Get("output_tokens"))
	take(&a.usage.reasoning, u.Get("output_tokens_details.thinking_tokens"))
}

// refused is the failure of an answer that the model would not give.
func refused(why string) *failure {
	return &failure{msg: "the model refused to answer: " + why, hint: "say the task in other words, or take another model", status: prog.No}
}
