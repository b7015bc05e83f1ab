package provider

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/conversation"
	"ua/cmd/ua-think/internal/failure"
	"ua/cmd/ua-think/internal/sse"
	"ua/cmd/ua-think/internal/usage"
)

// Anthropic's Messages API (platform.claude.com/docs/en/api/messages).

// An anthropicBody is the body of a request. Its members keep this order.
type anthropicBody struct {
	Model        string             `json:"model"`
	MaxTokens    int                `json:"max_tokens"`
	Stream       bool               `json:"stream"`
	Thinking     *anthropicThinking `json:"thinking,omitempty"`
	OutputConfig *anthropicOutput   `json:"output_config,omitempty"`
	Tools        []anthropicTool    `json:"tools,omitempty"`
	ToolChoice   *typed             `json:"tool_choice,omitempty"`
	System       []*anthropicBlock  `json:"system,omitempty"`
	Messages     []anthropicMessage `json:"messages"` // none: see API.message
}

// typed is an object that says its type alone.
type typed struct {
	Type string `json:"type"`
}

// An anthropicThinking says whether the model thinks, and with how many tokens.
type anthropicThinking struct {
	Type   string `json:"type"`
	Budget int    `json:"budget_tokens,omitempty"`
}

// An anthropicOutput asks for an effort and for a form of the answer.
type anthropicOutput struct {
	Effort string           `json:"effort,omitempty"`
	Format *anthropicFormat `json:"format,omitempty"`
}

// An anthropicFormat asks for JSON that fits a schema.
type anthropicFormat struct {
	Type   string          `json:"type"`
	Schema json.RawMessage `json:"schema"`
}

// An anthropicTool declares a tool.
type anthropicTool struct {
	Name        json.RawMessage `json:"name"`
	Description json.RawMessage `json:"description,omitempty"`
	Schema      json.RawMessage `json:"input_schema"`
	Cache       *typed          `json:"cache_control,omitempty"`
}

// An anthropicMessage is one message of the conversation.
type anthropicMessage struct {
	Role    string            `json:"role"`
	Content []*anthropicBlock `json:"content"`
}

// An anthropicBlock is any content block; its Type says which members are set.
type anthropicBlock struct {
	Type      string            `json:"type"`
	Text      *string           `json:"text,omitempty"`
	Thinking  *string           `json:"thinking,omitempty"`
	Signature json.RawMessage   `json:"signature,omitempty"`
	Data      json.RawMessage   `json:"data,omitempty"`
	ID        string            `json:"id,omitempty"`
	Name      string            `json:"name,omitempty"`
	Input     json.RawMessage   `json:"input,omitempty"`
	ToolUseID string            `json:"tool_use_id,omitempty"`
	Content   []*anthropicBlock `json:"content,omitempty"`
	IsError   bool              `json:"is_error,omitempty"`
	Source    *anthropicSource  `json:"source,omitempty"`
	Cache     *typed            `json:"cache_control,omitempty"`
}

// An anthropicSource is the data of an image or a document.
type anthropicSource struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
}

// breakpoint marks the end of a prefix to cache. A request has up to four: after the tools,
// the system prompt and the user's last two messages, so that the next request finds it.
func breakpoint() *typed { return &typed{"ephemeral"} }

// anthropicRequest returns the body without its messages. The API requires max_tokens.
func anthropicRequest(m Model, r *Request) any {
	body := &anthropicBody{Model: m.Name, MaxTokens: r.maxTokens(32000), Stream: true,
		Messages: []anthropicMessage{}}
	anthropicEffort(body, m, r)
	tools, none := r.tools()
	for _, t := range tools {
		body.Tools = append(body.Tools, anthropicTool{t.name, t.description, t.schema, nil})
	}
	if n := len(tools); n > 0 {
		body.Tools[n-1].Cache = breakpoint()
	}
	if none && len(tools) > 0 {
		body.ToolChoice = &typed{"none"}
	}
	if r.Talk.System != "" {
		system := anthropicText(r.Talk.System)
		system.Cache = breakpoint()
		body.System = []*anthropicBlock{system}
	}
	return body
}

// anthropicMessages returns a message. end says that a cached prefix ends with it.
func anthropicMessages(m Model, msg conversation.Message, end bool) []any {
	out := anthropicMessage{Role: "user", Content: []*anthropicBlock{}}
	if msg.Assistant {
		out.Role = "assistant"
	}
	for _, p := range msg.Parts {
		if b := anthropicPart(m, p); b != nil {
			out.Content = append(out.Content, b)
		}
	}
	if n := len(out.Content); end && n > 0 {
		out.Content[n-1].Cache = breakpoint()
	}
	return []any{out}
}

// anthropicEffort sets how hard the model thinks, and which form its answer has.
func anthropicEffort(body *anthropicBody, m Model, r *Request) {
	switch {
	case r.Thinking > 0 && thoughtKept(m, r.Talk.Messages):
		body.Thinking = &anthropicThinking{Type: "enabled", Budget: r.Thinking}
	case r.Thinking == 0:
		body.Thinking = &anthropicThinking{Type: "disabled"}
	case r.Effort != "" && r.Thinking < 0:
		body.Thinking = &anthropicThinking{Type: "adaptive"}
	}
	if r.Effort != "" || r.Schema != "" {
		body.OutputConfig = &anthropicOutput{Effort: r.Effort}
	}
	if r.Schema != "" {
		body.OutputConfig.Format = &anthropicFormat{"json_schema", r.schema()}
	}
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
	signed := first.Kind == conversation.Thinking &&
		first.Block.Get("signature").Type == gjson.String
	return m.said(first) && (first.Kind == conversation.Redacted || signed)
}

// anthropicPart returns a part as a content block, or nil if this provider cannot read
// it: signatures and sealed thinking of another provider.
func anthropicPart(m Model, p conversation.Part) *anthropicBlock {
	switch p.Kind {
	case conversation.Text:
		return anthropicText(p.Text)
	case conversation.Thinking:
		sig := p.Block.Get("signature")
		if sig.Type != gjson.String || !m.said(p) {
			return nil
		}
		return &anthropicBlock{Type: "thinking", Thinking: &p.Text, Signature: raw(sig)}
	case conversation.Redacted:
		if !m.said(p) {
			return nil
		}
		return &anthropicBlock{Type: "redacted_thinking", Data: raw(p.Block.Get("data"))}
	case conversation.Call:
		return &anthropicBlock{
			Type: "tool_use", ID: anthropicID(p.ID), Name: p.Name, Input: json.RawMessage(p.Input),
		}
	case conversation.Result:
		b := &anthropicBlock{Type: "tool_result", ToolUseID: anthropicID(p.ID), IsError: p.Bad}
		if p.Text != "" {
			b.Content = append(b.Content, anthropicText(p.Text))
		}
		for _, md := range p.Media {
			b.Content = append(b.Content, anthropicMedium(m, md))
		}
		return b
	case conversation.Media:
		return anthropicMedium(m, p.Media[0])
	}
	return nil
}

// anthropicText returns a block of text.
func anthropicText(text string) *anthropicBlock {
	return &anthropicBlock{Type: "text", Text: &text}
}

// anthropicID returns a call's ID, of any provider, in characters that the API accepts.
func anthropicID(id string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '_', r == '-', '0' <= r && r <= '9', 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z':
			return r
		}
		return '_'
	}, id)
}

// anthropicMedium returns a medium as a block, or a note in its place.
func anthropicMedium(m Model, md conversation.Medium) *anthropicBlock {
	source := &anthropicSource{"base64", md.Type, md.Data}
	switch {
	case md.PDF():
		return &anthropicBlock{Type: "document", Source: source}
	case md.Image() && !m.Blind:
		return &anthropicBlock{Type: "image", Source: source}
	}
	return anthropicText(md.Apology())
}

// anthropicDecode reads a streamed message.
func anthropicDecode(m Model, body io.Reader, a *answer.Answer) error {
	s := &anthropicStream{provider: m.Provider, at: map[int64]*answer.Block{}}
	return events(body, a, s.event)
}

// An anthropicStream decodes the events of one streamed message.
type anthropicStream struct {
	provider string
	at       map[int64]*answer.Block // by the event's index
}

// event takes one event. Blocks are announced, grow by deltas and end, each by its index.
func (s *anthropicStream) event(a *answer.Answer, ev sse.Event, data gjson.Result) error {
	typ, index, delta := pick3(data, "type", "index", "delta")
	switch typ.Str {
	case "message_start":
		a.Model = data.Get("message.model").Str
		anthropicUsage(a, data.Get("message.usage"))
	case "content_block_start":
		return s.start(a, index.Int(), data.Get("content_block"))
	case "content_block_delta":
		return s.delta(a, s.at[index.Int()], delta)
	case "content_block_stop":
		if b := s.at[index.Int()]; b != nil {
			a.Close(b)
		}
	case "message_delta":
		anthropicUsage(a, data.Get("usage"))
		anthropicStop(a, delta)
	case "message_stop":
		if a.Stop == "" {
			a.Stop = "end_turn"
		}
		return errDone
	case "error":
		return failure.API(s.provider, 0, failure.Kind([]byte(data.Raw)),
			failure.Text([]byte(data.Raw)))
	}
	return nil
}

// anthropicStop records why a message ended, if v says so.
func anthropicStop(a *answer.Answer, v gjson.Result) {
	why := v.Get("stop_reason")
	if why.Type != gjson.String {
		return
	}
	a.Why, a.Stop = why.Str, "end_turn"
	if d := v.Get("stop_details.explanation").Str; d != "" {
		a.Why = d
	}
	switch why.Str {
	case "tool_use", "max_tokens", "refusal":
		a.Stop = why.Str
	case "model_context_window_exceeded":
		a.Stop = "max_tokens"
	case "pause_turn":
		a.Stop = "interrupted"
	}
}

// start opens a block. A block of an unknown type is ignored with everything added to it.
func (s *anthropicStream) start(a *answer.Answer, index int64, blk gjson.Result) error {
	switch blk.Get("type").Str {
	case "text":
		s.at[index] = a.Open(answer.Text)
		return a.Say(s.at[index], blk.Get("text"))
	case "thinking":
		b := a.Open(answer.Thinking)
		s.at[index] = b
		if sig := blk.Get("signature"); len(sig.Str) > 0 {
			b.Keep("signature", sig.Raw)
		}
		return a.Say(b, blk.Get("thinking"))
	case "tool_use":
		b := a.Call(blk.Get("id").Str, blk.Get("name").Str)
		s.at[index] = b
		if in := blk.Get("input"); in.IsObject() && in.Raw != "{}" {
			return a.FeedJSON(b, in.Raw)
		}
	case "redacted_thinking":
		s.at[index] = a.Open(answer.Whole)
		s.at[index].Put(blk.Raw)
	default:
		s.at[index] = a.Open(answer.Unknown)
	}
	return nil
}

// errNoBlock means that the stream cannot be trusted to be complete.
var errNoBlock = errors.New("the stream adds to a block that it never started")

// delta adds to a block what belongs to its kind. An unknown delta is ignored.
func (s *anthropicStream) delta(a *answer.Answer, b *answer.Block, d gjson.Result) error {
	typ, text, input := pick3(d, "type", "text", "partial_json")
	want := ""
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
	case b == nil || b.Done() || b.Kind != want:
		return failure.CutOff(errNoBlock)
	}
	switch typ.Str {
	case "text_delta":
		return a.Say(b, text)
	case "thinking_delta":
		return a.Say(b, d.Get("thinking"))
	case "input_json_delta":
		return a.Feed(b, input)
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

// anthropicWhole reads a message that was not streamed.
func anthropicWhole(m Model, body []byte, a *answer.Answer) error {
	v := gjson.ParseBytes(body)
	a.Model = v.Get("model").Str
	anthropicUsage(a, v.Get("usage"))
	s := &anthropicStream{provider: m.Provider, at: map[int64]*answer.Block{}}
	for i, blk := range v.Get("content").Array() {
		if err := s.start(a, int64(i), blk); err != nil {
			return err
		}
	}
	a.CloseAll()
	anthropicStop(a, v)
	return nil
}

// anthropicRefusal is the body of an error of the Messages API.
func anthropicRefusal(r Refusal) any {
	return map[string]any{
		"type": "error", "error": map[string]string{"type": r.Type, "message": r.Message},
	}
}
