package provider

import (
	"encoding/json"
	"strconv"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/conversation"
	"ua/cmd/ua-think/internal/failure"
	"ua/cmd/ua-think/internal/usage"
)

// OpenAI's Chat Completions API, which most servers of open models speak too
// (platform.openai.com/docs/api-reference/chat).

// chatRequest returns the body with the system prompt as its only message.
func chatRequest(m Model, r *Request) object {
	var key, most, mostOfAll, format any
	own := m.maker()
	if own.cacheKey {
		key = r.Talk.CacheKey()
	}
	switch {
	case m.Refuses("max_tokens"), own.limit != "" && !m.Refuses(own.limit):
		mostOfAll = opt(r.MaxTokens)
	default:
		most = opt(r.MaxTokens)
	}
	var usage any = object{"include_usage", true}
	if own.noOptions || m.Refuses("stream_options") {
		usage = nil
	}
	if r.Schema != "" {
		format = object{"type", "json_schema", "json_schema",
			object{"name", "answer", "strict", false, "schema", r.schema()}}
	}
	tools, choice := r.tools(chatTool)
	return object{"model", m.Name, "stream", true, "stream_options", usage,
		"max_completion_tokens", mostOfAll, "max_tokens", most, "reasoning_effort", opt(r.Effort),
		"prompt_cache_key", key, "response_format", format, "tools", orNil(tools),
		"tool_choice", opt(choice), "messages", chatSystem(r)}
}

// chatSystem returns the system prompt, if there is one, as a list of messages.
func chatSystem(r *Request) []any {
	if r.Talk.System == "" {
		return []any{}
	}
	return []any{object{"role", "system", "content", r.Talk.System}}
}

// chatTool returns a declared tool in OpenAI's form.
func chatTool(t tool) object {
	return object{"type", "function", "function", object{"name", t.name,
		"description", orNil(t.description), "parameters", orNil(t.schema)}}
}

// chatAssistant returns an answer. Thinking goes back in the field that it came in, and
// only to the provider that it came from.
func chatAssistant(m Model, msg conversation.Message) []any {
	var content any = json.RawMessage("null") // of an answer that consists of calls
	var calls []any
	var details json.RawMessage
	text, reasoning, reasoningC := "", "", ""
	for _, p := range msg.Parts {
		switch p.Kind {
		case conversation.Text:
			text = joined(text, p.Text)
		case conversation.Call:
			calls = append(calls, chatCall(m, p))
		case conversation.Provider:
			if list := p.Block.Get("item.reasoning_details"); p.Model == m.Spec() && list.IsArray() {
				details = raw(list)
			}
		case conversation.Thinking:
			switch field := p.Block.Get("field").Str; {
			case !m.said(p):
			case p.Tagged() != "":
				text = joined(text, p.Tagged())
			case field == "reasoning":
				reasoning = joined(reasoning, p.Text)
			case field == "reasoning_content":
				reasoningC = joined(reasoningC, p.Text)
			}
		}
	}
	if text != "" {
		content = text
	}
	if details != nil {
		reasoning = "" // it is part of these
	}
	return []any{object{"role", "assistant", "content", content, "reasoning", opt(reasoning),
		"reasoning_content", opt(reasoningC), "reasoning_details", orNil(details),
		"tool_calls", orNil(calls)}}
}

// chatCall returns a call, with the provider's seal on it if it has one.
func chatCall(m Model, p conversation.Part) object {
	var seal any
	if v := p.Block.Get("extra_content"); v.IsObject() && m.said(p) {
		seal = raw(v)
	}
	return object{"id", m.id(p), "type", "function",
		"function", object{"name", p.Name, "arguments", p.Input}, "extra_content", seal}
}

// chatUser returns the results of calls, each as a message, and then what the user said
// with the media of the results: a message of a tool can hold only text.
func chatUser(m Model, msg conversation.Message) (list []any) {
	content := userContent(msg, func(result conversation.Part) {
		list = append(list, object{"role", "tool", "tool_call_id", m.id(result),
			"content", result.Text})
	}, textBlock, func(md conversation.Medium) object { return chatMedium(m, md) })
	if len(content) == 0 {
		return list
	}
	if only := content[0].(object); len(content) == 1 && only[1] == "text" {
		return append(list, object{"role", "user", "content", only[3]})
	}
	return append(list, object{"role", "user", "content", content})
}

// chatMedium returns a medium as content, or a note in its place.
func chatMedium(m Model, md conversation.Medium) object {
	switch {
	case md.Image() && !m.Blind:
		return object{"type", "image_url", "image_url", object{"url", md.DataURL()}}
	case md.PDF():
		return object{"type", "file", "file",
			object{"filename", md.FileName(), "file_data", md.DataURL()}}
	case md.WAV():
		return object{"type", "input_audio", "input_audio",
			object{"format", "wav", "data", md.Data}}
	}
	return textBlock(md.Apology())
}

// chatEvents returns what takes the chunks of a completion, or the whole of it.
func chatEvents(m Model) take { return (&details{provider: m.Provider}).event }

// event takes one chunk.
func (d *details) event(a *answer.Answer, _ string, data gjson.Result) error {
	choices, u, x := pick3(data, "choices", "usage", "x_groq")
	if a.Model == "" {
		a.Model = data.Get("model").Str
	}
	choice := choices.Get("0")
	delta, message, why := pick3(choice, "delta", "message", "finish_reason")
	if why.Str == "error" && choice.Get("error").IsObject() {
		return failure.Said(d.provider, []byte(choice.Raw))
	}
	if why.Str != "" {
		chatUsage(a, choice.Get("usage"))
	}
	chatUsage(a, x.Get("usage"))
	chatUsage(a, u)
	if err := d.delta(a, delta, false); err != nil {
		return err
	}
	if err := d.delta(a, message, true); err != nil {
		return err
	}
	a.Ended(why.Str)
	return nil
}

// chatUsage records the counts of a chunk. Servers have several names for tokens from
// a cache. Those are part of prompt_tokens here, so they are taken off the input.
func chatUsage(a *answer.Answer, u gjson.Result) {
	if !u.IsObject() {
		return
	}
	var in int64
	usage.Take(&in, u.Get("prompt_tokens"))
	for _, name := range []string{"cached_tokens", "prompt_tokens_details.cached_tokens",
		"prompt_cache_hit_tokens"} {
		usage.Take(&a.Usage.CacheRead, u.Get(name))
	}
	usage.Take(&a.Usage.CacheWrite, u.Get("prompt_tokens_details.cache_write_tokens"))
	a.Usage.Input = max(in-a.Usage.CacheRead-a.Usage.CacheWrite, 0)
	usage.Take(&a.Usage.Output, u.Get("completion_tokens"))
	usage.Take(&a.Usage.Reasoning, u.Get("completion_tokens_details.reasoning_tokens"))
}

// delta takes what one chunk adds, or the whole message. Servers do not agree on a field for
// thinking, so it goes back in the one in which it came.
func (d *details) delta(a *answer.Answer, chunk gjson.Result, whole bool) (err error) {
	thought := false
	chunk.ForEach(func(key, v gjson.Result) bool {
		switch field := key.Str; {
		case field == "tool_calls":
			err = chatCalls(a, v, whole)
		case field == "function_call" && v.IsObject() && !chunk.Get("tool_calls").Exists():
			_, err = a.Add(answer.Piece{Index: field, Name: v.Get("name").Str,
				Args: v.Get("arguments")})
		case field == "reasoning_details":
			err = d.add(a, v)
		case field == "content" && v.IsArray():
			err = chatList(a, v, whole)
		case v.Type != gjson.String || len(v.Raw) == 2:
		case field == "content" && whole:
			err = a.SayRest(nil, v)
		case field == "content" || field == "refusal":
			a.Refuses = a.Refuses || field == "refusal"
			err = a.SayText(v)
		case (field == "reasoning_content" || field == "reasoning") && !thought &&
			!(whole && a.Thought()):
			thought = true
			b := a.Last(answer.Thinking)
			if !b.Kept() {
				b.Keep("field", key.Raw)
			}
			err = a.SayThinking(v)
		}
		return err == nil
	})
	return err
}

// chatList takes content in Mistral's form, a list of texts and thinking.
func chatList(a *answer.Answer, list gjson.Result, whole bool) (err error) {
	text, told := "", whole && a.Thought()
	list.ForEach(func(_, c gjson.Result) bool {
		if text += c.Get("text").Str; !whole {
			err = a.SayText(c.Get("text"))
		}
		c.Get("thinking").ForEach(func(_, t gjson.Result) bool {
			if err == nil && !told {
				err = a.SayThinking(t.Get("text"))
			}
			return err == nil
		})
		return err == nil
	})
	if whole && err == nil {
		err = a.SayRest(nil, gjson.Result{Type: gjson.String, Str: text})
	}
	return err
}

// chatCalls takes pieces of calls. Where a server gives no index, the place of a piece among
// several, or in a whole message, is one.
func chatCalls(a *answer.Answer, list gjson.Result, whole bool) error {
	pieces, known := list.Array(), a.Known()[answer.Call]
	for i, c := range pieces {
		p := answer.Piece{
			Index: c.Get("index").String(), ID: c.Get("id").Str,
			Name: c.Get("function.name").Str, Args: c.Get("function.arguments"),
		}
		switch {
		case whole && i < len(known):
			if err := a.Complete(known[i], p.Args); err != nil {
				return err
			}
			continue
		case whole:
			p.Index = "message " + strconv.Itoa(i)
		case p.Index == "" && len(pieces) > 1:
			p.Index = strconv.Itoa(i)
		}
		b, err := a.Add(p)
		if err != nil {
			return err
		}
		// Gemini's seal on a call, which must be sent back with it.
		if seal := c.Get("extra_content"); seal.IsObject() {
			b.Keep("extra_content", seal.Raw)
		}
	}
	return nil
}

// The details of thinking that OpenRouter sends beside its text, among them what only the
// model can read. They go back as they came, or Gemini refuses the next request
// (openrouter.ai/docs/guides/best-practices/reasoning-tokens).
type details struct {
	provider string
	list     []*detail
}

// A detail is one of them. Its text comes in pieces.
type detail struct {
	members map[string]json.RawMessage
	member  string // that holds the text, "" if it has none
	text    []byte
}

// add adds the details of a chunk.
func (d *details) add(a *answer.Answer, chunk gjson.Result) error {
	if d.list == nil {
		a.AtEnd = func() { d.keep(a) }
	}
	for _, v := range chunk.Array() {
		next := &detail{}
		if json.Unmarshal([]byte(v.Raw), &next.members) != nil || next.members == nil {
			continue
		}
		for _, name := range []string{"text", "summary"} {
			if text := v.Get(name); text.Type == gjson.String {
				next.member, next.text = name, []byte(text.Str)
			}
		}
		if n := len(d.list); n > 0 && d.list[n-1].goesOnIn(next) {
			d.list[n-1].join(next)
		} else {
			d.list = append(d.list, next)
		}
	}
	return a.Take(len(chunk.Raw))
}

// goesOnIn reports whether next is another piece of the same text, or its signature.
func (d *detail) goesOnIn(next *detail) bool {
	same := func(name string) bool { return string(d.members[name]) == string(next.members[name]) }
	return d.member != "" && same("type") && same("index")
}

// join adds another piece: the text grows, all else is the newest that was given.
func (d *detail) join(next *detail) {
	d.text = append(d.text, next.text...)
	for name, v := range next.members {
		if string(v) != "null" {
			d.members[name] = v
		}
	}
}

// keep puts the details into the answer, as a block before all others.
func (d *details) keep(a *answer.Answer) {
	list := make([]map[string]json.RawMessage, len(d.list))
	for i, one := range d.list {
		if list[i] = one.members; one.member != "" {
			list[i][one.member], _ = json.Marshal(string(one.text)) // a string always encodes
		}
	}
	item, err := json.Marshal(map[string]any{"reasoning_details": list})
	if err == nil {
		a.First(sealed(d.provider, string(item)))
	}
}

// sealed returns the block that carries an item for its provider alone.
func sealed(provider, item string) string {
	whole, _ := json.Marshal(struct { // a struct, so that the members come in this order
		Type     string          `json:"type"`
		Provider string          `json:"provider"`
		Item     json.RawMessage `json:"item"`
	}{"provider", provider, json.RawMessage(item)})
	return string(whole)
}
