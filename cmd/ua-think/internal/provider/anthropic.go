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
	signed := first.Kind == conversation.Thinking && anthropicPart(m, first) != nil
	return m.said(first) && (first.Kind == conversation.Redacted || signed)
}

// anthropicPart returns a part as a content block, or nil if this provider cannot read
// it: signatures and sealed thinking of another provider.
func anthropicPart(m Model, p conversation.Part) *anthropicBlock {
	switch p.Kind {
	case conversation.Text:
		return anthropicText(p.Text)
	case conversation.Thinking:
		// Other servers of this API do not sign what they want back.
		sig := p.Block.Get("signature")
		if !m.said(p) || sig.Type != gjson.String && anthropicsOwn(m) {
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
			Type: "tool_use", ID: m.id(p), Name: p.Name, Input: json.RawMessage(p.Input),
		}
	case conversation.Result:
		b := &anthropicBlock{Type: "tool_result", ToolUseID: m.id(p), IsError: p.Bad}
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

// anthropicsOwn reports whether m is served by Anthropic itself, which signs all thinking.
func anthropicsOwn(m Model) bool {
	return strings.Contains(m.Base, "//api.anthropic.com") || m.Provider == "anthropic"
}

// anthropicText returns a block of text.
func anthropicText(text string) *anthropicBlock {
	return &anthropicBlock{Type: "text", Text: &text}
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

// An anthropicStream decodes the events of one message.
type anthropicStream struct {
	at map[int64]*answer.Block // by the event's index
}

// anthropicEvents returns what takes the events of a message, or the whole of it.
func anthropicEvents(Model) take {
	return (&anthropicStream{at: map[int64]*answer.Block{}}).event
}

// event takes one event. Blocks are announced, grow by deltas and end, each by its index.
func (s *anthropicStream) event(a *answer.Answer, typ string, data gjson.Result) error {
	index, delta, _ := pick3(data, "index", "delta", "")
	switch typ {
	case "message_start":
		a.Model = data.Get("message.model").Str
		anthropicUsage(a, data.Get("message.usage"))
	case "content_block_start":
		return s.start(a, index, data.Get("content_block"))
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
		return errDone
	case "message":
		a.Model = data.Get("model").Str
		anthropicUsage(a, data.Get("usage"))
		for i, blk := range data.Get("content").Array() {
			if err := s.start(a, gjson.Parse(strconv.Itoa(i)), blk); err != nil {
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

// start opens a block. A block of an unknown type is ignored with everything added to it.
func (s *anthropicStream) start(a *answer.Answer, at, blk gjson.Result) (err error) {
	index := at.Int()
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
		input := blk.Get("input")
		if input.Raw == "{}" {
			input = gjson.Result{}
		}
		s.at[index], err = a.Add(answer.Piece{
			Index: at.String(), ID: blk.Get("id").Str, Name: blk.Get("name").Str, Args: input,
		})
		return err
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
