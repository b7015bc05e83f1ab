package provider

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/conversation"
	"ua/cmd/ua-think/internal/usage"
)

// OpenAI's Responses API. Nothing is stored at the provider (store is false), so the
// sealed reasoning is sent back with each request
// (platform.openai.com/docs/api-reference/responses).

// responsesRequest returns the body without items.
func responsesRequest(m Model, r *Request) object {
	var format any
	if r.Schema != "" {
		format = object{"format", object{"type", "json_schema", "name", "answer", "strict", false,
			"schema", r.schema()}}
	}
	tools, choice := r.tools(func(t tool) object {
		return object{"type", "function", "name", t.name, "description", orNil(t.description),
			"parameters", orNil(t.schema), "strict", false}
	})
	return object{"model", m.Name, "stream", true, "store", false,
		"include", []any{"reasoning.encrypted_content"}, "prompt_cache_key", r.Talk.CacheKey(),
		"max_output_tokens", opt(r.MaxTokens), "reasoning", responsesEffort(r), "text", format,
		"instructions", opt(r.Talk.System), "tools", orNil(tools), "tool_choice", opt(choice),
		"input", []any{}}
}

// responsesEffort returns how hard to think, nil to leave that to the model. A summary of
// the thinking is asked for only with --thinking, which says that it is wanted.
func responsesEffort(r *Request) any {
	effort, summary := r.Effort, ""
	if effort == "" && r.Thinking == 0 {
		effort = "none"
	}
	if r.Thinking > 0 {
		summary = "auto"
	}
	if effort == "" && summary == "" {
		return nil
	}
	return object{"effort", opt(effort), "summary", opt(summary)}
}

// responsesAssistant returns an answer as items. Sealed thinking goes back only to the
// model that it came from, which alone can open it.
func responsesAssistant(m Model, msg conversation.Message) (items []any) {
	for _, p := range msg.Parts {
		switch p.Kind {
		case conversation.Text:
			item := object{"type", "message", "role", "assistant", "content", p.Text}
			if phase := p.Block.Get("phase"); phase.Type == gjson.String && m.said(p) {
				item = append(item, "phase", raw(phase))
			}
			items = append(items, item)
		case conversation.Provider:
			if item := p.Block.Get("item"); p.Model == m.Spec() && item.Get("type").Exists() {
				items = append(items, raw(item))
			}
		case conversation.Call:
			items = append(items, object{"type", "function_call", "call_id", m.id(p),
				"name", p.Name, "arguments", p.Input})
		}
	}
	return items
}

// responsesUser returns the results of calls as items, and what the user said as one
// message. That message holds the media of results too.
func responsesUser(m Model, msg conversation.Message) (items []any) {
	content := userContent(msg, func(result conversation.Part) {
		items = append(items, object{"type", "function_call_output", "call_id", m.id(result),
			"output", result.Text})
	}, responsesInput, func(md conversation.Medium) object { return responsesMedium(m, md) })
	if len(content) > 0 {
		items = append(items, object{"type", "message", "role", "user", "content", content})
	}
	return items
}

// responsesInput returns a text of the user's.
func responsesInput(text string) object { return object{"type", "input_text", "text", text} }

// responsesMedium returns a medium as content, or a note in its place.
func responsesMedium(m Model, md conversation.Medium) object {
	switch {
	case md.Image() && !m.Blind:
		return object{"type", "input_image", "detail", "auto", "image_url", md.DataURL()}
	case md.PDF():
		return object{"type", "input_file", "filename", md.FileName(), "file_data", md.DataURL()}
	}
	return responsesInput(md.Apology())
}

// A responsesStream decodes the events of one response of a provider.
type responsesStream string

// responsesEvents returns what takes the events of a response, or the whole of it.
func responsesEvents(m Model) take { return responsesStream(m.Provider).event }

// event takes one event. Items are announced, grow by deltas and come again as a whole, but
// not from all servers in all of these.
func (s responsesStream) event(a *answer.Answer, typ string, data gjson.Result) error {
	switch typ {
	case "response.created":
		a.Model = data.Get("response.model").Str
	case "response.output_item.added":
		return added(a, data)
	case "response.output_text.delta", "response.refusal.delta":
		a.Refuses = a.Refuses || typ == "response.refusal.delta"
		return a.Say(textOf(a, data), data.Get("delta"))
	case "response.output_text.done":
		return a.SayRest(textOf(a, data), data.Get("text"))
	case "response.content_part.done":
		if text := data.Get("part.text"); data.Get("part.type").Str == "output_text" {
			return a.SayRest(textOf(a, data), text)
		}
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		// Thinking is shown; what is sent back is the sealed item.
		return a.Say(thoughtOf(a, data), data.Get("delta"))
	case "response.function_call_arguments.delta", "response.function_call_arguments.done":
		b, err := callOf(a, data)
		switch args := data.Get("arguments"); {
		case err != nil || b == nil:
			return err
		case strings.HasSuffix(typ, ".done"):
			return a.Replace(b, args)
		}
		return a.Feed(b, data.Get("delta"))
	case "response.output_item.done":
		return s.done(a, data)
	case "response.completed", "response.incomplete", "response.done", "response.cancelled":
		return s.end(a, data.Get("response"))
	case "":
		if data.Get("output").IsArray() {
			a.Model = data.Get("model").Str
			return s.end(a, data)
		}
	}
	return nil
}

// marks returns what an event says of the item that it is about: its place and its IDs. If it
// says nothing, the item is the last of its kind.
func marks(data gjson.Result, kind string) (list []string) {
	for _, name := range []string{"item.call_id", "item.id", "item_id", "output_index"} {
		if v := data.Get(name); v.Exists() && v.String() != "" {
			list = append(list, name[len(name)-2:]+v.String()) // an ID, or a place
		}
	}
	if list == nil {
		list = []string{"last " + kind}
	}
	return list
}

// keep remembers the block of an item.
func keep(a *answer.Answer, data gjson.Result, b *answer.Block) *answer.Block {
	return a.Mark(b, append(marks(data, b.Kind), "last "+b.Kind)...)
}

// callOf returns the call that an event adds to. It is opened if no event has announced it, and
// nil if the item is something else.
func callOf(a *answer.Answer, data gjson.Result) (*answer.Block, error) {
	switch b := a.Marked(marks(data, answer.Call)...); {
	case b == nil:
		return open(a, data, data)
	case b.Kind == answer.Call:
		return b, nil
	}
	return nil, nil
}

// thoughtOf returns the block for a delta of thinking. Each part of a summary has its own.
func thoughtOf(a *answer.Answer, data gjson.Result) *answer.Block {
	part := fmt.Sprint("part ", data.Get("output_index"), data.Get("summary_index"),
		data.Get("content_index"))
	if b := a.Marked(part); b != nil {
		return b
	}
	return a.Mark(&answer.Block{Kind: answer.Thinking}, part)
}

// added opens the block of an item that was announced.
func added(a *answer.Answer, data gjson.Result) (err error) {
	switch item := data.Get("item"); item.Get("type").Str {
	case "function_call":
		_, err = open(a, data, item)
	case "message":
		keep(a, data, a.Open(answer.Text))
	}
	return err
}

// open opens the block of a call, without its input.
func open(a *answer.Answer, data, item gjson.Result) (*answer.Block, error) {
	b, err := a.Add(answer.Piece{Index: strings.Join(marks(data, answer.Call), " "),
		ID: item.Get("call_id").Str, Name: item.Get("name").Str})
	return keep(a, data, b), err
}

// textOf returns the block of an item that is a message, and opens it if no event has
// announced it.
func textOf(a *answer.Answer, data gjson.Result) *answer.Block {
	b := a.Marked(marks(data, answer.Text)...)
	if b == nil || b.Kind != answer.Text || b.Done() {
		b = keep(a, data, a.Open(answer.Text))
	}
	return b
}

// kindOf returns the kind of the block of an item.
func kindOf(item gjson.Result) string {
	kinds := map[string]string{"message": answer.Text, "function_call": answer.Call}
	return cmp.Or(kinds[item.Get("type").Str], answer.Whole)
}

// done takes a complete item, which replaces the deltas before it. Where nothing tells which
// message one is, it is the first that has not ended.
func (s responsesStream) done(a *answer.Answer, data gjson.Result) error {
	item, b := data.Get("item"), a.Marked(marks(data, "")...)
	if b != nil && b.Kind != kindOf(item) {
		b = nil // a server gives one place to several
	}
	open := func(b *answer.Block) bool { return b.Kind == answer.Text && !b.Done() }
	if i := slices.IndexFunc(a.Blocks, open); i >= 0 && b == nil && kindOf(item) == answer.Text {
		b = a.Blocks[i]
	}
	b, err := s.whole(a, b, data)
	// A call that the server says is incomplete waits for the end of the answer, as half a call does.
	if err == nil && b != nil && b.Kind == answer.Call && item.Get("status").Str != "incomplete" {
		a.Close(b)
	}
	return err
}

// whole takes all of an item, which replaces what has come of it in b, nil if nothing has. An
// item of a type of its own, such as sealed reasoning, is kept as it is for the next request.
func (s responsesStream) whole(a *answer.Answer, b *answer.Block, data gjson.Result) (
	_ *answer.Block, err error,
) {
	switch item := data.Get("item"); item.Get("type").Str {
	case "message":
		if b == nil {
			b = a.Open(answer.Text)
		}
		return keep(a, data, b), message(a, b, item)
	case "function_call":
		if b == nil {
			b, err = open(a, data, item)
		}
		if err == nil && b.Kind == answer.Call {
			err = a.Replace(b, item.Get("arguments"))
		}
	case "":
	default:
		if b == nil {
			b = keep(a, data, a.Open(answer.Whole))
			b.Put(sealed(string(s), item.Raw))
			a.Close(b)
		}
	}
	return b, err
}

// message ends a message. Its own text counts where the deltas have not brought it.
func message(a *answer.Answer, b *answer.Block, item gjson.Result) error {
	var whole string
	for _, c := range item.Get("content").Array() {
		a.Refuses = a.Refuses || c.Get("refusal").Str != ""
		whole += c.Get("text").Str + c.Get("refusal").Str
	}
	if b.Done() {
		return nil
	}
	if err := a.SayRest(b, gjson.Result{Type: gjson.String, Str: whole}); err != nil {
		return err
	}
	if phase := item.Get("phase"); phase.Type == gjson.String {
		b.Keep("phase", phase.Raw)
	}
	a.Close(b)
	return nil
}

// end takes the end of the response: what no event has brought, its usage and why it stopped.
// The places and IDs of its items are not always those of the events: the first of a kind is
// the first that has come.
func (s responsesStream) end(a *answer.Answer, resp gjson.Result) error {
	known := a.Known()
	for _, item := range resp.Get("output").Array() {
		var b *answer.Block
		if came := known[kindOf(item)]; len(came) > 0 {
			b, known[kindOf(item)] = came[0], came[1:]
		}
		if _, err := s.whole(a, b, gjson.Parse(`{"item":`+item.Raw+`}`)); err != nil {
			return err
		}
	}
	responsesUsage(a, resp.Get("usage"))
	if a.Ended(cmp.Or(resp.Get("incomplete_details.reason").Str, resp.Get("status").Str)); a.Refuses {
		a.Stop = answer.Refusal
	}
	return errDone
}

// responsesUsage records the counts. Tokens from a cache are part of input_tokens here,
// so they are taken off the input.
func responsesUsage(a *answer.Answer, u gjson.Result) {
	var in int64
	usage.Take(&in, u.Get("input_tokens"))
	usage.Take(&a.Usage.CacheRead, u.Get("input_tokens_details.cached_tokens"))
	usage.Take(&a.Usage.CacheWrite, u.Get("input_tokens_details.cache_write_tokens"))
	a.Usage.Input = max(in-a.Usage.CacheRead-a.Usage.CacheWrite, 0)
	usage.Take(&a.Usage.Output, u.Get("output_tokens"))
	usage.Take(&a.Usage.Reasoning, u.Get("output_tokens_details.reasoning_tokens"))
}
