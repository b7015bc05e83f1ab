package main

import (
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/sse"
)

// openaiResponses asks by OpenAI's Responses API, with nothing stored there: the
// sealed reasoning comes back with each request
// (platform.openai.com/docs/api-reference/responses).
func openaiResponses(m model, r *request) call {
	h := http.Header{}
	if m.key != "" {
		h.Set("Authorization", "Bearer "+m.key)
	}
	return call{
		url:    join(m.base, "", "/responses"),
		header: h,
		body:   responsesBody(m, r),
		decode: func(body io.Reader, a *answer) error {
			return events(body, a, (&responsesStream{provider: m.provider}).event)
		},
	}
}

func responsesBody(m model, r *request) []byte {
	c := r.talk
	b := make([]byte, 0, r.size())
	b = append(append(b, `{"model":`...), quoted(m.name)...)
	b = append(b, `,"stream":true,"store":false,"include":["reasoning.encrypted_content"],"prompt_cache_key":`...)
	b = append(b, quoted(c.cacheKey())...)
	if n := r.o.maxTokens; n > 0 {
		b = strconv.AppendInt(append(b, `,"max_output_tokens":`...), int64(n), 10)
	}
	b = responsesEffort(b, r)
	if r.schema != "" {
		b = append(append(append(b, `,"text":{"format":{"type":"json_schema","name":"answer","strict":false,"schema":`...), r.schema...), `}}`...)
	}
	if c.system != `""` {
		b = append(append(b, `,"instructions":`...), c.system...)
	}
	b = responsesTools(b, r)
	b = append(b, `,"input":[`...)
	for _, msg := range c.messages {
		var said []part
		for _, p := range msg.parts {
			if msg.assistant || p.kind == "result" {
				b = responsesItem(b, m, p)
			} else {
				said = append(said, p)
			}
		}
		for i := len(msg.parts) - 1; i >= 0 && !msg.assistant; i-- {
			if p := msg.parts[i]; p.kind == "result" && len(p.media) > 0 {
				said = append([]part{{kind: "media", media: p.media}}, said...)
			}
		}
		b = responsesUser(b, said)
	}
	return append(b[:len(b)-1], `]}`...)
}

// responsesEffort adds how hard to think. A summary of the thoughts is asked
// for with --thinking, which says that they are wanted.
func responsesEffort(b []byte, r *request) []byte {
	effort := r.o.effort
	if effort == "" && r.o.thinking == 0 {
		effort = "none"
	}
	switch {
	case effort != "" && r.o.thinking > 0:
		return append(append(append(b, `,"reasoning":{"effort":`...), quoted(effort)...), `,"summary":"auto"}`...)
	case effort != "":
		return append(append(append(b, `,"reasoning":{"effort":`...), quoted(effort)...), '}')
	case r.o.thinking > 0:
		return append(b, `,"reasoning":{"summary":"auto"}`...)
	}
	return b
}

func responsesTools(b []byte, r *request) []byte {
	tools, choice := r.tools()
	if len(tools) == 0 {
		return b
	}
	b = append(b, `,"tools":[`...)
	for i, t := range tools {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(b, `{"type":"function","name":`...), t.Get("name").Raw...)
		if d := t.Get("description"); d.Exists() {
			b = append(append(b, `,"description":`...), d.Raw...)
		}
		if p := t.Get("input_schema"); p.Exists() {
			b = append(append(b, `,"parameters":`...), p.Raw...)
		}
		b = append(b, `,"strict":false}`...)
	}
	if b = append(b, ']'); choice != "" {
		b = append(b, `,"tool_choice":"none"`...)
	}
	return b
}

// responsesItem adds an item that the model said, or the result of a call, and
// a comma. Only the model itself can open its sealed thoughts.
func responsesItem(b []byte, m model, p part) []byte {
	switch p.kind {
	case "text":
		b = append(append(b, `{"type":"message","role":"assistant","content":`...), p.text...)
		if phase := p.block.Get("phase"); phase.Type == gjson.String && m.said(p) {
			b = append(append(b, `,"phase":`...), phase.Raw...)
		}
		return append(b, `},`...)
	case "provider":
		if p.model == m.spec() {
			b = append(append(b, p.block.Get("item").Raw...), ',')
		}
	case "call":
		b = append(append(append(b, `{"type":"function_call","call_id":`...), p.id...), `,"name":`...)
		b = append(append(append(b, p.name...), `,"arguments":`...), quoted(p.input)...)
		return append(b, `},`...)
	case "result":
		b = append(append(append(b, `{"type":"function_call_output","call_id":`...), p.id...), `,"output":`...)
		return append(append(b, p.text...), `},`...)
	}
	return b
}

// responsesUser adds what the user said, as one message, and a comma.
func responsesUser(b []byte, said []part) []byte {
	if len(said) == 0 {
		return b
	}
	b = append(b, `{"type":"message","role":"user","content":[`...)
	for _, p := range said {
		if p.kind == "text" {
			b = append(append(append(b, `{"type":"input_text","text":`...), p.text...), `},`...)
		}
		for _, md := range p.media {
			b = append(responsesMedium(b, md), ',')
		}
	}
	return append(b[:len(b)-1], `]},`...)
}

func responsesMedium(b []byte, md medium) []byte {
	switch {
	case md.image():
		return append(append(b, `{"type":"input_image","detail":"auto","image_url":`...), quoted(md.dataURL())+`}`...)
	case md.pdf():
		b = append(append(b, `{"type":"input_file","filename":`...), quoted(md.fileName())...)
		return append(append(b, `,"file_data":`...), quoted(md.dataURL())+`}`...)
	}
	return append(append(b, `{"type":"input_text","text":`...), md.apology()+`}`...)
}

// A responsesStream decodes the events of one response.
type responsesStream struct {
	provider string
	at       map[int64]*block // by output_index
	refused  bool
}

func (s *responsesStream) event(a *answer, ev sse.Event, data gjson.Result) error {
	index := data.Get("output_index").Int()
	switch data.Get("type").Str {
	case "response.created":
		a.model = strings.Clone(data.Get("response.model").Str)
	case "response.output_item.added":
		s.added(a, index, data.Get("item"))
	case "response.output_text.delta":
		return a.say(s.block(a, index, "text"), data.Get("delta"))
	case "response.refusal.delta":
		s.refused = true
		return a.say(s.block(a, index, "text"), data.Get("delta"))
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		return s.thought(a, data.Get("delta"))
	case "response.function_call_arguments.delta":
		if b := s.at[index]; b != nil && b.kind == "tool_use" && !b.done {
			return a.feed(b, data.Get("delta"))
		}
	case "response.output_item.done":
		return s.done(a, index, data.Get("item"))
	case "response.completed", "response.incomplete":
		s.end(a, data.Get("response"))
		return errDone
	case "response.failed", "error":
		return apiFailure(s.provider, 0, errorType([]byte(data.Raw)), errorText([]byte(data.Raw)))
	}
	return nil
}

func (s *responsesStream) added(a *answer, index int64, item gjson.Result) {
	if s.at == nil {
		s.at = map[int64]*block{}
	}
	switch item.Get("type").Str {
	case "function_call":
		s.at[index] = a.call(item.Get("call_id").Str, item.Get("name").Str)
	case "message":
		s.at[index] = a.open("text")
	}
}

// block is the block of an output item, opened if no event announced it.
func (s *responsesStream) block(a *answer, index int64, kind string) *block {
	if s.at == nil {
		s.at = map[int64]*block{}
	}
	b := s.at[index]
	if b == nil || b.kind != kind || b.done {
		b = a.open(kind)
		s.at[index] = b
	}
	return b
}

// thought shows a piece of a summary of thoughts; what goes back is the sealed
// item.
func (s *responsesStream) thought(a *answer, delta gjson.Result) error {
	return a.say(&block{kind: "thinking"}, delta)
}

// done takes a whole item. It stands above the deltas that came before it.
func (s *responsesStream) done(a *answer, index int64, item gjson.Result) error {
	b := s.at[index]
	switch item.Get("type").Str {
	case "message":
		b := s.block(a, index, "text")
		if b.body.size == 0 {
			for _, c := range item.Get("content").Array() {
				if err := a.say(b, c.Get("text")); err != nil {
					return err
				}
			}
		}
		if phase := item.Get("phase"); phase.Type == gjson.String {
			b.extra = append([]byte(`,"phase":`), phase.Raw...)
		}
		a.close(b)
	case "function_call":
		if b == nil {
			s.added(a, index, item)
			b = s.at[index]
		}
		if b.done {
			return nil
		}
		if args := item.Get("arguments"); args.Type == gjson.String && len(args.Str) > 0 {
			a.input -= b.body.size
			b.body = rope{}
			if err := a.feed(b, args); err != nil {
				return err
			}
		}
		a.close(b)
	case "":
	default:
		b := a.open("raw")
		head := append([]byte(`{"type":"provider","provider":`), quoted(s.provider)...)
		b.body.add(append(append(append(head, `,"item":`...), oneLine(item.Raw)...), '}'))
		a.close(b)
	}
	return nil
}

// oneLine is JSON text without line breaks between its tokens.
func oneLine(json string) string {
	if strings.ContainsAny(json, "\r\n") {
		json = gjson.Get(json, "@ugly").Raw
	}
	return strings.ToValidUTF8(json, "\ufffd")
}

func (s *responsesStream) end(a *answer, resp gjson.Result) {
	for _, b := range a.blocks {
		if b.kind != "tool_use" {
			a.close(b)
		}
	}
	u := resp.Get("usage")
	var in int64
	take(&in, u.Get("input_tokens"))
	take(&a.usage.cacheRead, u.Get("input_tokens_details.cached_tokens"))
	take(&a.usage.cacheWrite, u.Get("input_tokens_details.cache_write_tokens"))
	a.usage.input = max(in-a.usage.cacheRead-a.usage.cacheWrite, 0)
	take(&a.usage.output, u.Get("output_tokens"))
	take(&a.usage.reasoning, u.Get("output_tokens_details.reasoning_tokens"))
	why := resp.Get("incomplete_details.reason").Str
	a.why = strings.Clone(why)
	switch {
	case why == "content_filter" || s.refused:
		a.stop = "refusal"
	case resp.Get("status").Str == "incomplete":
		a.stop = "max_tokens"
	case a.calls > 0:
		a.stop = "tool_use"
	default:
		a.stop = "end_turn"
	}
}
