package provider

import (
	"encoding/json"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/conversation"
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
			if item := p.Block.Get("item"); p.Model == m.Spec() && item.Get("type").Exists() {
				items = append(items, raw(item))
			}
		case conversation.Call:
			items = append(items, responsesCall{"function_call", m.id(p), p.Name, p.Input})
		}
	}
	return items
}

// responsesUser returns the results of calls as items, and what the user said as one
// message. That message holds the media of results too.
func responsesUser(m Model, msg conversation.Message) (items []any) {
	content := userContent(msg, func(result conversation.Part) {
		items = append(items, responsesOutput{"function_call_output", m.id(result), result.Text})
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
