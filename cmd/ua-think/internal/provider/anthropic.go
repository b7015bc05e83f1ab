package provider

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/conversation"
	"ua/cmd/ua-think/internal/failure"
	"ua/cmd/ua-think/internal/usage"
)

// Anthropic's Messages API (platform.claude.com/docs/en/api/messages).

// breakpoint marks the end of a prefix to cache. A request has up to four: after the tools,
// the system prompt and the user's last two messages, so that the next request finds it.
func breakpoint(block any) object {
	return append(block.(object), "cache_control", typed("ephemeral"))
}

// typed returns an object that says its type alone.
func typed(typ string) object { return object{"type", typ} }

// anthropicRequest returns the body without its messages. The API requires max_tokens.
func anthropicRequest(m Model, r *Request) object {
	var system []any
	var choice, output, format any
	tools, none := r.tools(func(t tool) object {
		return object{"name", t.name, "description", orNil(t.description), "input_schema", t.schema}
	})
	if n := len(tools); n > 0 {
		tools[n-1] = breakpoint(tools[n-1])
	}
	if none != "" {
		choice = typed(none)
	}
	if r.Talk.System != "" {
		system = []any{breakpoint(textBlock(r.Talk.System))}
	}
	if r.Schema != "" {
		format = object{"type", "json_schema", "schema", r.schema()}
	}
	if r.Effort != "" || r.Schema != "" {
		output = object{"effort", opt(r.Effort), "format", format}
	}
	return object{"model", m.Name, "max_tokens", r.maxTokens(32000), "stream", true,
		"thinking", anthropicThinking(m, r), "output_config", output, "tools", orNil(tools),
		"tool_choice", choice, "system", orNil(system), "messages", []any{}}
}

// anthropicMessages returns a message. end says that a cached prefix ends with it.
func anthropicMessages(m Model, msg conversation.Message, end bool) []any {
	role, content := "user", []any{}
	if msg.Assistant {
		role = "assistant"
	}
	for _, p := range msg.Parts {
		if b := anthropicPart(m, p); b != nil {
			content = append(content, b)
		}
	}
	if n := len(content); end && n > 0 {
		content[n-1] = breakpoint(content[n-1])
	}
	return []any{object{"role", role, "content", content}}
}

// anthropicThinking returns whether the model thinks, and with how many tokens.
func anthropicThinking(m Model, r *Request) any {
	switch {
	case r.Thinking > 0 && thoughtKept(m, r.Talk.Messages):
		return object{"type", "enabled", "budget_tokens", r.Thinking}
	case r.Thinking == 0:
		return typed("disabled")
	case r.Effort != "" && r.Thinking < 0:
		return typed("adaptive")
	}
	return nil
}

// thoughtKept reports whether the answer that a request continues begins with its
// thinking. It does not if its calls came from a lost answer or from another provider. A
// request with a budget for thinking would then be refused.
func thoughtKept(m Model, messages []conversation.Message) bool {
	n := len(messages)
	if n < 2 || messages[n-1].Parts[0].Kind != conversation.Result {
		return true
	}
	first := messages[n-2].Parts[0]
	signed := first.Kind == conversation.Thinking && anthropicPart(m, first) != nil
	return m.said(first) && (first.Kind == conversation.Redacted || signed)
}

// anthropicPart returns a part as a content block, or nil if this provider cannot read
// it: signatures and sealed thinking of another provider.
func anthropicPart(m Model, p conversation.Part) object {
	switch p.Kind {
	case conversation.Text:
		return textBlock(p.Text)
	case conversation.Thinking:
		// Other servers of this API do not sign what they want back.
		sig := p.Block.Get("signature")
		if !m.said(p) || sig.Type != gjson.String && anthropicsOwn(m) {
			return nil
		}
		return object{"type", "thinking", "thinking", p.Text, "signature", orNil(raw(sig))}
	case conversation.Redacted:
		if !m.said(p) {
			return nil
		}
		return object{"type", "redacted_thinking", "data", orNil(raw(p.Block.Get("data")))}
	case conversation.Call:
		return object{"type", "tool_use", "id", m.id(p), "name", opt(p.Name),
			"input", orNil(json.RawMessage(p.Input))}
	case conversation.Result:
		var content []any
		if p.Text != "" {
			content = append(content, textBlock(p.Text))
		}
		for _, md := range p.Media {
			content = append(content, anthropicMedium(m, md))
		}
		return object{"type", "tool_result", "tool_use_id", m.id(p), "content", orNil(content),
			"is_error", opt(p.Bad)}
	case conversation.Media:
		return anthropicMedium(m, p.Media[0])
	}
	return nil
}

// anthropicsOwn reports whether m is served by Anthropic itself, which signs all thinking.
func anthropicsOwn(m Model) bool {
	return strings.Contains(m.Base, "//api.anthropic.com") || m.Provider == "anthropic"
}

// anthropicMedium returns a medium as a block, or a note in its place.
func anthropicMedium(m Model, md conversation.Medium) object {
	source := object{"type", "base64", "media_type", md.Type, "data", md.Data}
	switch {
	case md.PDF():
		return object{"type", "document", "source", source}
	case md.Image() && !m.Blind:
		return object{"type", "image", "source", source}
	}
	return textBlock(md.Apology())
}

// anthropicEvents returns what takes the events of a message, or the whole of it.
func anthropicEvents(Model) take { return anthropicEvent }

// anthropicEvent takes one event. Blocks are announced, grow by deltas and end, each by its
// index.
func anthropicEvent(a *answer.Answer, typ string, data gjson.Result) error {
	index, delta, _ := pick3(data, "index", "delta", "")
	switch typ {
	case "message_start":
		a.Model = data.Get("message.model").Str
		anthropicUsage(a, data.Get("message.usage"))
	case "content_block_start":
		return anthropicStart(a, index.String(), data.Get("content_block"))
	case "content_block_delta":
		return anthropicDelta(a, index.String(), delta)
	case "content_block_stop":
		if b := a.Marked(index.String()); b != nil {
			a.Close(b)
		}
	case "message_delta":
		anthropicUsage(a, data.Get("usage"))
		anthropicStop(a, delta)
	case "message_stop":
		return errDone
	case "message":
		a.Model = data.Get("model").Str
		anthropicUsage(a, data.Get("usage"))
		for i, blk := range data.Get("content").Array() {
			if err := anthropicStart(a, strconv.Itoa(i), blk); err != nil {
				return err
			}
		}
		anthropicStop(a, data)
		return errDone
	}
	return nil
}

// anthropicStop records why a message ended, if v says so.
func anthropicStop(a *answer.Answer, v gjson.Result) {
	a.Ended(v.Get("stop_reason").Str)
	if d := v.Get("stop_details.explanation").Str; d != "" {
		a.Why = d
	}
}

// anthropicStart opens a block. A block of an unknown type is ignored with everything added to
// it.
func anthropicStart(a *answer.Answer, index string, blk gjson.Result) error {
	switch blk.Get("type").Str {
	case "text":
		return a.Say(a.Mark(a.Open(answer.Text), index), blk.Get("text"))
	case "thinking":
		b := a.Mark(a.Open(answer.Thinking), index)
		if sig := blk.Get("signature"); len(sig.Str) > 0 {
			b.Keep("signature", sig.Raw)
		}
		return a.Say(b, blk.Get("thinking"))
	case "tool_use":
		input := blk.Get("input")
		if input.Raw == "{}" {
			input = gjson.Result{}
		}
		b, err := a.Add(answer.Piece{
			Index: index, ID: blk.Get("id").Str, Name: blk.Get("name").Str, Args: input,
		})
		a.Mark(b, index)
		return err
	case "redacted_thinking":
		a.Mark(a.Open(answer.Whole), index).Put(blk.Raw)
	default:
		a.Mark(a.Open(answer.Unknown), index)
	}
	return nil
}

// errNoBlock means that the stream cannot be trusted to be complete.
var errNoBlock = errors.New("the stream adds to a block that it never started")

// anthropicDelta adds to a block what belongs to its kind. An unknown delta is ignored.
func anthropicDelta(a *answer.Answer, index string, d gjson.Result) error {
	typ, text, input := pick3(d, "type", "text", "partial_json")
	b, want := a.Marked(index), ""
	switch typ.Str {
	case "text_delta":
		want = answer.Text
	case "thinking_delta", "signature_delta":
		want = answer.Thinking
	case "input_json_delta":
		want = answer.Call
	default:
		return nil
	}
	switch {
	case b != nil && b.Kind == answer.Unknown:
		return nil
	case b == nil || b.Kind != want || b.Done() && want != answer.Call:
		return failure.CutOff(errNoBlock)
	}
	switch typ.Str {
	case "text_delta":
		return a.Say(b, text)
	case "thinking_delta":
		return a.Say(b, d.Get("thinking"))
	case "input_json_delta":
		_, err := a.Add(answer.Piece{Index: index, Args: input})
		return err
	}
	if sig := d.Get("signature"); sig.Type == gjson.String {
		b.Keep("signature", sig.Raw)
	}
	return nil
}

// anthropicUsage records the counts in an event, each of which is for the whole message.
func anthropicUsage(a *answer.Answer, u gjson.Result) {
	usage.Take(&a.Usage.Input, u.Get("input_tokens"))
	usage.Take(&a.Usage.CacheRead, u.Get("cache_read_input_tokens"))
	usage.Take(&a.Usage.CacheWrite, u.Get("cache_creation_input_tokens"))
	usage.Take(&a.Usage.Output, u.Get("output_tokens"))
	usage.Take(&a.Usage.Reasoning, u.Get("output_tokens_details.thinking_tokens"))
}
