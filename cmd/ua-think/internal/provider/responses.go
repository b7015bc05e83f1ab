package provider

import (
	"encoding/json"
	"io"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/conversation"
	"ua/cmd/ua-think/internal/failure"
	"ua/cmd/ua-think/internal/sse"
	"ua/cmd/ua-think/internal/usage"
)

// OpenAI's Responses API. Nothing is stored at the provider (store is false), so the
// sealed reasoning is sent back with each request
// (platform.openai.com/docs/api-reference/responses).

// A responsesBody is the body of a request. Its members keep this order.
type responsesBody struct {
	Model           string              `json:"model"`
	Stream          bool                `json:"stream"`
	Store           bool                `json:"store"`
	Include         []string            `json:"include"`
	PromptCacheKey  string              `json:"prompt_cache_key"`
	MaxOutputTokens int                 `json:"max_output_tokens,omitempty"`
	Reasoning       *responsesReasoning `json:"reasoning,omitempty"`
	Text            *responsesText      `json:"text,omitempty"`
	Instructions    string              `json:"instructions,omitempty"`
	Tools           []responsesTool     `json:"tools,omitempty"`
	ToolChoice      string              `json:"tool_choice,omitempty"`
	Input           []any               `json:"input"` // none: see API.message
}

// A responsesReasoning says how hard to think, and whether to show a summary of it.
type responsesReasoning struct {
	Effort  string `json:"effort,omitempty"`
	Summary string `json:"summary,omitempty"`
}

// A responsesText asks for a form of the answer.
type responsesText struct {
	Format responsesFormat `json:"format"`
}

// A responsesFormat asks for JSON that fits a schema.
type responsesFormat struct {
	Type   string          `json:"type"`
	Name   string          `json:"name"`
	Strict bool            `json:"strict"`
	Schema json.RawMessage `json:"schema"`
}

// A responsesTool declares a tool.
type responsesTool struct {
	Type        string          `json:"type"`
	Name        json.RawMessage `json:"name"`
	Description json.RawMessage `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
	Strict      bool            `json:"strict"`
}

// A responsesMessage is an item with text. Its content is a string or a list of
// responsesContent.
type responsesMessage struct {
	Type    string          `json:"type"`
	Role    string          `json:"role"`
	Content any             `json:"content"`
	Phase   json.RawMessage `json:"phase,omitempty"`
}

// A responsesContent is text or a medium; its Type says which members are set.
type responsesContent struct {
	Type     string  `json:"type"`
	Text     *string `json:"text,omitempty"`
	Detail   string  `json:"detail,omitempty"`
	ImageURL string  `json:"image_url,omitempty"`
	Filename string  `json:"filename,omitempty"`
	FileData string  `json:"file_data,omitempty"`
}

// A responsesCall is an item with a call.
type responsesCall struct {
	Type      string `json:"type"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// A responsesOutput is an item with the result of a call.
type responsesOutput struct {
	Type   string `json:"type"`
	CallID string `json:"call_id"`
	Output string `json:"output"`
}

// responsesRequest returns the body without items.
func responsesRequest(m Model, r *Request) any {
	body := &responsesBody{
		Model: m.Name, Stream: true, Include: []string{"reasoning.encrypted_content"},
		PromptCacheKey: r.Talk.CacheKey(), MaxOutputTokens: r.MaxTokens,
		Reasoning: responsesEffort(r), Instructions: r.Talk.System, Input: []any{},
	}
	if r.Schema != "" {
		body.Text = &responsesText{responsesFormat{"json_schema", "answer", false, r.schema()}}
	}
	tools, none := r.tools()
	for _, t := range tools {
		body.Tools = append(body.Tools, responsesTool{"function", t.name, t.description, t.schema,
			false})
	}
	if none && len(tools) > 0 {
		body.ToolChoice = "none"
	}
	return body
}

// responsesItems returns a message of the conversation as items.
func responsesItems(m Model, msg conversation.Message, _ bool) []any {
	if msg.Assistant {
		return responsesAssistant(m, msg)
	}
	return responsesUser(m, msg)
}

// responsesEffort returns how hard to think, nil to leave that to the model. A summary of
// the thinking is asked for only with --thinking, which says that it is wanted.
func responsesEffort(r *Request) *responsesReasoning {
	want := responsesReasoning{Effort: r.Effort}
	if r.Effort == "" && r.Thinking == 0 {
		want.Effort = "none"
	}
	if r.Thinking > 0 {
		want.Summary = "auto"
	}
	if want == (responsesReasoning{}) {
		return nil
	}
	return &want
}

// responsesAssistant returns an answer as items. Sealed thinking goes back only to the
// model that it came from, which alone can open it.
func responsesAssistant(m Model, msg conversation.Message) (items []any) {
	for _, p := range msg.Parts {
		switch p.Kind {
		case conversation.Text:
			item := responsesMessage{Type: "message", Role: "assistant", Content: p.Text}
			if phase := p.Block.Get("phase"); phase.Type == gjson.String && m.said(p) {
				item.Phase = raw(phase)
			}
			items = append(items, item)
		case conversation.Provider:
			if item := p.Block.Get("item"); p.Model == m.Spec() && item.IsObject() {
				items = append(items, raw(item))
			}
		case conversation.Call:
			items = append(items, responsesCall{"function_call", p.ID, p.Name, p.Input})
		}
	}
	return items
}

// responsesUser returns the results of calls as items, and what the user said as one
// message. That message holds the media of results too.
func responsesUser(m Model, msg conversation.Message) (items []any) {
	content := userContent(msg, func(result conversation.Part) {
		items = append(items, responsesOutput{"function_call_output", result.ID, result.Text})
	}, func(text *string) responsesContent {
		return responsesContent{Type: "input_text", Text: text}
	}, func(md conversation.Medium) responsesContent { return responsesMedium(m, md) })
	if len(content) > 0 {
		items = append(items, responsesMessage{Type: "message", Role: "user", Content: content})
	}
	return items
}

// responsesMedium returns a medium as content, or a note in its place.
func responsesMedium(m Model, md conversation.Medium) responsesContent {
	switch {
	case md.Image() && !m.Blind:
		return responsesContent{Type: "input_image", Detail: "auto", ImageURL: md.DataURL()}
	case md.PDF():
		return responsesContent{Type: "input_file", Filename: md.FileName(), FileData: md.DataURL()}
	}
	return responsesContent{Type: "input_text", Text: some(md.Apology())}
}

// responsesDecode reads a streamed response.
func responsesDecode(m Model, body io.Reader, a *answer.Answer) error {
	s := &responsesStream{provider: m.Provider, at: map[int64]*answer.Block{}}
	return events(body, a, s.event)
}

// A responsesStream decodes the events of one response.
type responsesStream struct {
	provider string
	at       map[int64]*answer.Block // by output_index
	refused  bool

	thinks *answer.Block // the part of a summary that grows
	part   [3]int64      // which it is
}

// event takes one event. Items are announced, grow by deltas and come again as a whole.
func (s *responsesStream) event(a *answer.Answer, ev sse.Event, data gjson.Result) error {
	index := data.Get("output_index").Int()
	switch data.Get("type").Str {
	case "response.created":
		a.Model = data.Get("response.model").Str
	case "response.output_item.added":
		s.added(a, index, data.Get("item"))
	case "response.output_text.delta":
		return a.Say(s.text(a, index), data.Get("delta"))
	case "response.refusal.delta":
		s.refused = true
		return a.Say(s.text(a, index), data.Get("delta"))
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		// Thinking is shown; what is sent back is the sealed item.
		return a.Say(s.thought(index, data), data.Get("delta"))
	case "response.function_call_arguments.delta":
		if b := s.at[index]; b != nil && b.Kind == answer.Call && !b.Done() {
			return a.Feed(b, data.Get("delta"))
		}
	case "response.output_item.done":
		return s.done(a, index, data.Get("item"))
	case "response.completed", "response.incomplete":
		s.end(a, data.Get("response"))
		return errDone
	case "response.failed", "error":
		return failure.API(s.provider, 0, failure.Kind([]byte(data.Raw)),
			failure.Text([]byte(data.Raw)))
	}
	return nil
}

// thought returns the block for a delta of thinking. Each part of a summary has its own.
func (s *responsesStream) thought(index int64, data gjson.Result) *answer.Block {
	part := [3]int64{index, data.Get("summary_index").Int(), data.Get("content_index").Int()}
	if s.thinks == nil || s.part != part {
		s.thinks, s.part = &answer.Block{Kind: answer.Thinking}, part
	}
	return s.thinks
}

// added opens the block of an item that was announced.
func (s *responsesStream) added(a *answer.Answer, index int64, item gjson.Result) {
	switch item.Get("type").Str {
	case "function_call":
		s.at[index] = a.Call(item.Get("call_id").Str, item.Get("name").Str)
	case "message":
		s.at[index] = a.Open(answer.Text)
	}
}

// text returns the block of an item that is a message, and opens it if no event has
// announced it.
func (s *responsesStream) text(a *answer.Answer, index int64) *answer.Block {
	b := s.at[index]
	if b == nil || b.Kind != answer.Text || b.Done() {
		b = a.Open(answer.Text)
		s.at[index] = b
	}
	return b
}

// done takes a complete item, which replaces the deltas before it. An item of another
// type, such as sealed reasoning, is kept as it is for the next request.
func (s *responsesStream) done(a *answer.Answer, index int64, item gjson.Result) error {
	switch item.Get("type").Str {
	case "message":
		return s.message(a, s.text(a, index), item)
	case "function_call":
		return s.call(a, index, item)
	case "":
		return nil
	}
	// A struct, so that the members come in this order.
	whole, err := json.Marshal(struct {
		Type     string          `json:"type"`
		Provider string          `json:"provider"`
		Item     json.RawMessage `json:"item"`
	}{"provider", s.provider, json.RawMessage(item.Raw)})
	if err != nil {
		return failure.CutOff(err)
	}
	b := a.Open(answer.Whole)
	b.Put(string(whole))
	a.Close(b)
	return nil
}

// message ends a message. Its own text counts only if no delta has brought any.
func (s *responsesStream) message(a *answer.Answer, b *answer.Block, item gjson.Result) error {
	if b.Empty() {
		for _, c := range item.Get("content").Array() {
			if err := a.Say(b, c.Get("text")); err != nil {
				return err
			}
			s.refused = s.refused || c.Get("refusal").Str != ""
			if err := a.Say(b, c.Get("refusal")); err != nil {
				return err
			}
		}
	}
	if phase := item.Get("phase"); phase.Type == gjson.String {
		b.Keep("phase", phase.Raw)
	}
	a.Close(b)
	return nil
}

// call ends a call. Its own arguments replace those of the deltas.
func (s *responsesStream) call(a *answer.Answer, index int64, item gjson.Result) error {
	if s.at[index] == nil {
		s.added(a, index, item)
	}
	b := s.at[index]
	if b.Done() || b.Kind != answer.Call {
		return nil
	}
	if args := item.Get("arguments"); args.Type == gjson.String && len(args.Str) > 0 {
		if err := a.Replace(b, args); err != nil {
			return err
		}
	}
	a.Close(b)
	return nil
}

// end takes the end of the response: its usage and why it stopped.
func (s *responsesStream) end(a *answer.Answer, resp gjson.Result) {
	for _, b := range a.Blocks {
		if b.Kind != answer.Call {
			a.Close(b)
		}
	}
	responsesUsage(a, resp.Get("usage"))
	why := resp.Get("incomplete_details.reason").Str
	a.Why = why
	switch {
	case why == "content_filter" || s.refused:
		a.Stop = "refusal"
	case resp.Get("status").Str == "incomplete":
		a.Stop = "max_tokens"
	case a.Calls > 0:
		a.Stop = "tool_use"
	default:
		a.Stop = "end_turn"
	}
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

// responsesWhole reads a response that was not streamed.
func responsesWhole(m Model, body []byte, a *answer.Answer) error {
	v := gjson.ParseBytes(body)
	a.Model = v.Get("model").Str
	s := &responsesStream{provider: m.Provider, at: map[int64]*answer.Block{}}
	for i, item := range v.Get("output").Array() {
		if err := s.done(a, int64(i), item); err != nil {
			return err
		}
	}
	s.end(a, v)
	return nil
}
