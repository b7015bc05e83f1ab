package main

import (
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/sse"
)

// openaiChat asks by OpenAI's Chat Completions API, which most servers of open
// models speak too (platform.openai.com/docs/api-reference/chat).
func openaiChat(m model, r *request) call {
	h := http.Header{}
	if m.key != "" {
		h.Set("Authorization", "Bearer "+m.key)
	}
	return call{
		url:    join(m.base, "", "/chat/completions"),
		header: h,
		body:   chatBody(m, r),
		decode: func(body io.Reader, a *answer) error {
			return events(body, a, (&chatStream{provider: m.provider}).event)
		},
	}
}

func chatBody(m model, r *request) []byte {
	c := r.talk
	official := strings.Contains(m.base, "//api.openai.com")
	b := make([]byte, 0, r.size())
	b = append(append(b, `{"model":`...), quoted(m.name)...)
	b = append(b, `,"stream":true,"stream_options":{"include_usage":true}`...)
	if n := r.o.maxTokens; n > 0 && official {
		b = strconv.AppendInt(append(b, `,"max_completion_tokens":`...), int64(n), 10)
	} else if n > 0 {
		b = strconv.AppendInt(append(b, `,"max_tokens":`...), int64(n), 10)
	}
	if r.o.effort != "" {
		b = append(append(b, `,"reasoning_effort":`...), quoted(r.o.effort)...)
	}
	if official {
		b = append(append(b, `,"prompt_cache_key":`...), quoted(c.cacheKey())...)
	}
	if r.schema != "" {
		b = append(append(append(b, `,"response_format":{"type":"json_schema","json_schema":{"name":"answer","strict":false,"schema":`...), r.schema...), `}}`...)
	}
	b = chatTools(b, r, `{"type":"function","function":`, `}`)
	b = append(b, `,"messages":[`...)
	if c.system != `""` {
		b = append(append(append(b, `{"role":"system","content":`...), c.system...), `},`...)
	}
	for _, msg := range c.messages {
		if msg.assistant {
			b = chatAssistant(b, m, msg)
		} else {
			b = chatUser(b, msg)
		}
	}
	return append(b[:len(b)-1], `]}`...)
}

// chatTools adds the declared tools in OpenAI's form, each between head and
// tail.
func chatTools(b []byte, r *request, head, tail string) []byte {
	tools, choice := r.tools()
	if len(tools) == 0 {
		return b
	}
	b = append(b, `,"tools":[`...)
	for i, t := range tools {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, head...), `{"name":`...), t.Get("name").Raw...)
		if d := t.Get("description"); d.Exists() {
			b = append(append(b, `,"description":`...), d.Raw...)
		}
		if p := t.Get("input_schema"); p.Exists() {
			b = append(append(b, `,"parameters":`...), p.Raw...)
		}
		b = append(append(b, '}'), tail...)
	}
	if b = append(b, ']'); choice != "" {
		b = append(b, `,"tool_choice":"none"`...)
	}
	return b
}

func chatAssistant(b []byte, m model, msg message) []byte {
	b = append(b, `{"role":"assistant"`...)
	text, thought, field, calls := "", "", "", 0
	for _, p := range msg.parts {
		switch p.kind {
		case "text":
			text = joinText(text, p.text)
		case "call":
			calls++
		case "thinking":
			if f := p.block.Get("field").Str; f != "" && m.said(p) {
				thought, field = joinText(thought, p.text), f
			}
		}
	}
	if text == "" {
		text = "null"
	}
	b = append(append(b, `,"content":`...), text...)
	if field != "" {
		b = append(append(append(append(b, ','), quoted(field)...), ':'), thought...)
	}
	if calls == 0 {
		return append(b, `},`...)
	}
	b = append(b, `,"tool_calls":[`...)
	for _, p := range msg.parts {
		if p.kind == "call" {
			b = append(append(append(b, `{"id":`...), p.id...), `,"type":"function","function":{"name":`...)
			b = append(append(append(b, p.name...), `,"arguments":`...), quoted(p.input)...)
			b = append(b, '}')
			if seal := p.block.Get("extra_content"); seal.IsObject() && m.said(p) {
				b = append(append(b, `,"extra_content":`...), seal.Raw...)
			}
			b = append(b, `},`...)
		}
	}
	return append(b[:len(b)-1], `]},`...)
}

// joinText is two JSON strings as one.
func joinText(a, b string) string {
	if a == "" {
		return b
	}
	return a[:len(a)-1] + `\n\n` + b[1:]
}

// chatUser adds the results of calls, each as a message of its own, and what
// the user said. Media of results follow in a message of the user.
func chatUser(b []byte, msg message) []byte {
	var rest []part
	for _, p := range msg.parts {
		if p.kind != "result" {
			rest = append(rest, p)
			continue
		}
		b = append(append(b, `{"role":"tool","tool_call_id":`...), p.id...)
		b = append(append(append(b, `,"content":`...), p.text...), `},`...)
	}
	for _, p := range msg.parts {
		if p.kind == "result" && len(p.media) > 0 {
			rest = append([]part{{kind: "media", media: p.media}}, rest...)
		}
	}
	switch {
	case len(rest) == 0:
		return b
	case len(rest) == 1 && rest[0].kind == "text":
		return append(append(append(b, `{"role":"user","content":`...), rest[0].text...), `},`...)
	}
	b = append(b, `{"role":"user","content":[`...)
	for _, p := range rest {
		if p.kind == "text" {
			b = append(append(append(b, `{"type":"text","text":`...), p.text...), `},`...)
		}
		for _, md := range p.media {
			b = append(chatMedium(b, md), ',')
		}
	}
	return append(b[:len(b)-1], `]},`...)
}

func chatMedium(b []byte, md medium) []byte {
	switch {
	case md.image():
		return append(append(b, `{"type":"image_url","image_url":{"url":`...), quoted(md.dataURL())+`}}`...)
	case md.pdf():
		b = append(append(b, `{"type":"file","file":{"filename":`...), quoted(md.fileName())...)
		return append(append(b, `,"file_data":`...), quoted(md.dataURL())+`}}`...)
	case md.wav():
		return append(append(b, `{"type":"input_audio","input_audio":{"format":"wav","data":`...), quoted(md.data)+`}}`...)
	}
	return append(append(b, `{"type":"text","text":`...), md.apology()+`}`...)
}

func (m medium) dataURL() string { return "data:" + m.typ + ";base64," + m.data }

func (m medium) fileName() string {
	if m.name == "" {
		return "file.pdf"
	}
	return m.name
}

// A chatStream decodes the chunks of one completion.
type chatStream struct {
	provider string
	at       map[int64]*block // calls by their index
	refused  bool
}

func (s *chatStream) event(a *answer, ev sse.Event, data gjson.Result) error {
	choices, u, e := pick3(data, "choices", "usage", "error")
	if e.IsObject() || e.Type == gjson.String {
		return apiFailure(s.provider, 0, errorType([]byte(data.Raw)), errorText([]byte(data.Raw)))
	}
	if a.model == "" {
		a.model = strings.Clone(data.Get("model").Str)
	}
	if u.IsObject() {
		chatUsage(a, u)
	}
	choice := choices.Get("0")
	if !choice.Exists() {
		return nil
	}
	delta, why, _ := pick3(choice, "delta", "finish_reason", "")
	if err := s.delta(a, delta); err != nil {
		return err
	}
	if why.Type == gjson.String && why.Str != "" {
		for _, b := range a.blocks {
			a.close(b)
		}
		a.why = strings.Clone(why.Str)
		if a.stop = chatStop(a, why.Str); s.refused {
			a.stop = "refusal"
		}
	}
	return nil
}

func chatStop(a *answer, why string) string {
	switch {
	case why == "length":
		return "max_tokens"
	case why == "content_filter":
		return "refusal"
	case why == "error":
		return "error"
	case a.calls > 0 || why == "tool_calls" && len(a.blocks) > 0:
		return "tool_use"
	}
	return "end_turn"
}

func chatUsage(a *answer, u gjson.Result) {
	var in int64
	take(&in, u.Get("prompt_tokens"))
	take(&a.usage.cacheRead, u.Get("prompt_tokens_details.cached_tokens"))
	take(&a.usage.cacheRead, u.Get("prompt_cache_hit_tokens"))
	take(&a.usage.cacheWrite, u.Get("prompt_tokens_details.cache_write_tokens"))
	a.usage.input = max(in-a.usage.cacheRead-a.usage.cacheWrite, 0)
	take(&a.usage.output, u.Get("completion_tokens"))
	take(&a.usage.reasoning, u.Get("completion_tokens_details.reasoning_tokens"))
}

// delta takes what one chunk adds. Thoughts have no field that all servers
// agree on; they go back in the one that they came in.
func (s *chatStream) delta(a *answer, d gjson.Result) (err error) {
	thought := false
	d.ForEach(func(key, v gjson.Result) bool {
		switch field := key.Str; {
		case field == "tool_calls" && v.IsArray():
			v.ForEach(func(_, c gjson.Result) bool {
				err = s.call(a, c)
				return err == nil
			})
		case field == "content" && v.IsArray():
			err = contentList(a, v)
		case v.Type != gjson.String || len(v.Raw) == 2:
		case field == "content" || field == "refusal":
			s.refused = s.refused || field == "refusal"
			err = a.sayIn(textBlock, v)
		case (field == "reasoning_content" || field == "reasoning") && !thought:
			thought = true
			b := a.last("thinking")
			if b.extra == nil {
				b.extra = []byte(`,"field":"` + field + `"`)
			}
			err = a.say(b, v)
		}
		return err == nil
	})
	return err
}

// contentList takes content in Mistral's form, a list of text and thinking.
func contentList(a *answer, list gjson.Result) (err error) {
	list.ForEach(func(_, c gjson.Result) bool {
		if err = a.sayIn(textBlock, c.Get("text")); err == nil {
			c.Get("thinking").ForEach(func(_, t gjson.Result) bool {
				err = a.sayIn(func(a *answer) *block { return a.last("thinking") }, t.Get("text"))
				return err == nil
			})
		}
		return err == nil
	})
	return err
}

// textBlock is the block that text goes to; it ends the thinking before it.
func textBlock(a *answer) *block {
	if n := len(a.blocks); n > 0 && a.blocks[n-1].kind == "thinking" {
		a.close(a.blocks[n-1])
	}
	return a.last("text")
}

// call takes a piece of a call. A piece belongs to the call of its index; some
// servers give none, or the same to each call, but each call its own id. A call
// is complete when the next one begins.
func (s *chatStream) call(a *answer, c gjson.Result) error {
	if s.at == nil {
		s.at = map[int64]*block{}
	}
	i, id, name := c.Get("index").Int(), c.Get("id").Str, c.Get("function.name").Str
	b := s.at[i]
	if b == nil || name != "" && (id != b.given || id == "" && b.body.size > 0) {
		for _, other := range a.blocks {
			a.close(other)
		}
		b = a.call(id, name)
		b.given = strings.Clone(id)
		s.at[i] = b
	}
	// Gemini's seal on a call, which must come back with it.
	if seal := c.Get("extra_content"); seal.IsObject() {
		b.extra = append([]byte(`,"extra_content":`), oneLine(seal.Raw)...)
	}
	args := c.Get("function.arguments")
	switch {
	case b.done && args.Raw != "" && args.Raw != `""`:
		return cut(errNoBlock)
	case args.IsObject():
		return a.feedRaw(b, args.Raw)
	}
	return a.feed(b, args)
}
