package provider

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/conversation"
	"ua/cmd/ua-think/internal/failure"
	"ua/cmd/ua-think/internal/sse"
	"ua/cmd/ua-think/internal/usage"
)

// OpenAI's Chat Completions API, which most servers of open models speak too
// (platform.openai.com/docs/api-reference/chat).

// A chatBody is the body of a request. Its members keep this order.
type chatBody struct {
	Model               string         `json:"model"`
	Stream              bool           `json:"stream"`
	StreamOptions       chatStreamOpts `json:"stream_options"`
	MaxCompletionTokens int            `json:"max_completion_tokens,omitempty"`
	MaxTokens           int            `json:"max_tokens,omitempty"`
	ReasoningEffort     string         `json:"reasoning_effort,omitempty"`
	PromptCacheKey      string         `json:"prompt_cache_key,omitempty"`
	ResponseFormat      *chatFormat    `json:"response_format,omitempty"`
	Tools               []chatTool     `json:"tools,omitempty"`
	ToolChoice          string         `json:"tool_choice,omitempty"`
	Messages            []chatMessage  `json:"messages"` // the system prompt alone: see API.message
}

// chatStreamOpts asks for usage at the end of the stream.
type chatStreamOpts struct {
	IncludeUsage bool `json:"include_usage"`
}

// A chatFormat asks for JSON that fits a schema.
type chatFormat struct {
	Type   string         `json:"type"`
	Schema chatJSONSchema `json:"json_schema"`
}

// A chatJSONSchema names the schema.
type chatJSONSchema struct {
	Name   string          `json:"name"`
	Strict bool            `json:"strict"`
	Schema json.RawMessage `json:"schema"`
}

// A chatTool declares a tool.
type chatTool struct {
	Type     string       `json:"type"`
	Function chatFunction `json:"function"`
}

// A chatFunction describes what a tool takes.
type chatFunction struct {
	Name        json.RawMessage `json:"name"`
	Description json.RawMessage `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
}

// A chatMessage is one message. Its content is a string, a list of chatContent, or nil
// for an answer that consists of calls.
type chatMessage struct {
	Role       string     `json:"role"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
	Content    any        `json:"content"`
	Reasoning  string     `json:"reasoning,omitempty"`
	ReasoningC string     `json:"reasoning_content,omitempty"`
	ToolCalls  []chatCall `json:"tool_calls,omitempty"`
}

// A chatCall is a call in an answer.
type chatCall struct {
	ID       string          `json:"id"`
	Type     string          `json:"type"`
	Function chatCalled      `json:"function"`
	Extra    json.RawMessage `json:"extra_content,omitempty"`
}

// A chatCalled is the tool and the input of a call, JSON text in a string.
type chatCalled struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// A chatContent is text or a medium; its Type says which member is set.
type chatContent struct {
	Type  string     `json:"type"`
	Text  *string    `json:"text,omitempty"`
	Image *chatURL   `json:"image_url,omitempty"`
	File  *chatFile  `json:"file,omitempty"`
	Audio *chatAudio `json:"input_audio,omitempty"`
}

// A chatURL is an image, as a data URL.
type chatURL struct {
	URL string `json:"url"`
}

// A chatFile is a document, as a data URL.
type chatFile struct {
	Filename string `json:"filename"`
	Data     string `json:"file_data"`
}

// A chatAudio is a sound in base64.
type chatAudio struct {
	Format string `json:"format"`
	Data   string `json:"data"`
}

// chatRequest returns the body with the system prompt as its only message.
func chatRequest(m Model, r *Request) any {
	body := &chatBody{
		Model: m.Name, Stream: true, StreamOptions: chatStreamOpts{true},
		ReasoningEffort: r.Effort, Tools: chatTools(r), Messages: []chatMessage{},
	}
	if official(m) {
		body.MaxCompletionTokens, body.PromptCacheKey = r.MaxTokens, r.Talk.CacheKey()
	} else {
		body.MaxTokens = r.MaxTokens
	}
	if r.Schema != "" {
		body.ResponseFormat = &chatFormat{"json_schema",
			chatJSONSchema{"answer", false, r.schema()}}
	}
	if _, none := r.tools(); none && len(body.Tools) > 0 {
		body.ToolChoice = "none"
	}
	if r.Talk.System != "" {
		body.Messages = append(body.Messages, chatMessage{Role: "system", Content: r.Talk.System})
	}
	return body
}

// chatMessages returns a message of the conversation as messages of the API.
func chatMessages(m Model, msg conversation.Message, _ bool) []any {
	if msg.Assistant {
		return []any{chatAssistant(m, msg)}
	}
	return anys(chatUser(m, msg))
}

// official reports whether m is served by OpenAI itself. Other servers refuse members
// that they do not know.
func official(m Model) bool { return strings.Contains(m.Base, "//api.openai.com") }

// chatTools returns the declared tools in OpenAI's form.
func chatTools(r *Request) (list []chatTool) {
	tools, _ := r.tools()
	for _, t := range tools {
		list = append(list, chatTool{"function", chatFunction{t.name, t.description, t.schema}})
	}
	return list
}

// chatAssistant returns an answer. Thinking goes back in the field that it came in, and
// only to the provider that it came from.
func chatAssistant(m Model, msg conversation.Message) chatMessage {
	out := chatMessage{Role: "assistant"}
	text := ""
	for _, p := range msg.Parts {
		switch p.Kind {
		case conversation.Text:
			text = joined(text, p.Text)
		case conversation.Call:
			out.ToolCalls = append(out.ToolCalls, chatCallOf(m, p))
		case conversation.Thinking:
			switch field := p.Block.Get("field").Str; {
			case !m.said(p):
			case field == "reasoning":
				out.Reasoning = joined(out.Reasoning, p.Text)
			case field == "reasoning_content":
				out.ReasoningC = joined(out.ReasoningC, p.Text)
			}
		}
	}
	if text != "" {
		out.Content = text
	}
	return out
}

// chatCallOf returns a call, with the provider's seal on it if it has one.
func chatCallOf(m Model, p conversation.Part) chatCall {
	call := chatCall{ID: p.ID, Type: "function", Function: chatCalled{p.Name, p.Input}}
	if seal := p.Block.Get("extra_content"); seal.IsObject() && m.said(p) {
		call.Extra = raw(seal)
	}
	return call
}

// chatUser returns the results of calls, each as a message, and then what the user said
// with the media of the results: a message of a tool can hold only text.
func chatUser(m Model, msg conversation.Message) (list []chatMessage) {
	content := userContent(msg, func(result conversation.Part) {
		list = append(list, chatMessage{Role: "tool", ToolCallID: result.ID, Content: result.Text})
	}, func(text *string) chatContent {
		return chatContent{Type: "text", Text: text}
	}, func(md conversation.Medium) chatContent { return chatMedium(m, md) })
	switch {
	case len(content) == 0:
		return list
	case len(content) == 1 && content[0].Type == "text":
		return append(list, chatMessage{Role: "user", Content: *content[0].Text})
	}
	return append(list, chatMessage{Role: "user", Content: content})
}

// chatMedium returns a medium as content, or a note in its place.
func chatMedium(m Model, md conversation.Medium) chatContent {
	switch {
	case md.Image() && !m.Blind:
		return chatContent{Type: "image_url", Image: &chatURL{md.DataURL()}}
	case md.PDF():
		return chatContent{Type: "file", File: &chatFile{md.FileName(), md.DataURL()}}
	case md.WAV():
		return chatContent{Type: "input_audio", Audio: &chatAudio{"wav", md.Data}}
	}
	return chatContent{Type: "text", Text: some(md.Apology())}
}

// chatDecode reads a streamed completion.
func chatDecode(m Model, body io.Reader, a *answer.Answer) error {
	return events(body, a, (&chatStream{provider: m.Provider, at: map[int64]*answer.Block{}}).event)
}

// A chatStream decodes the chunks of one completion.
type chatStream struct {
	provider string
	at       map[int64]*answer.Block // calls by their index
	refused  bool
}

// event takes one chunk. An error can come in the middle of a stream.
func (s *chatStream) event(a *answer.Answer, ev sse.Event, data gjson.Result) error {
	choices, u, e := pick3(data, "choices", "usage", "error")
	if e.IsObject() || e.Type == gjson.String {
		return failure.API(s.provider, 0, failure.Kind([]byte(data.Raw)),
			failure.Text([]byte(data.Raw)))
	}
	if a.Model == "" {
		a.Model = data.Get("model").Str
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
	s.stop(a, why)
	return nil
}

// stop records why a completion ended, if there is a reason.
func (s *chatStream) stop(a *answer.Answer, why gjson.Result) {
	if why.Type != gjson.String || why.Str == "" {
		return
	}
	a.CloseAll()
	a.Why, a.Stop = why.Str, "end_turn"
	switch {
	case s.refused || why.Str == "content_filter":
		a.Stop = "refusal"
	case why.Str == "length":
		a.Stop = "max_tokens"
	case why.Str == "error":
		a.Stop = "error"
	case a.Calls > 0 || why.Str == "tool_calls" && len(a.Blocks) > 0 && !a.NoCall:
		a.Stop = "tool_use"
	}
}

// chatUsage records the counts of a chunk. Servers have two names for tokens from a
// cache. Those are part of prompt_tokens here, so they are taken off the input.
func chatUsage(a *answer.Answer, u gjson.Result) {
	var in int64
	usage.Take(&in, u.Get("prompt_tokens"))
	usage.Take(&a.Usage.CacheRead, u.Get("prompt_tokens_details.cached_tokens"))
	usage.Take(&a.Usage.CacheRead, u.Get("prompt_cache_hit_tokens"))
	usage.Take(&a.Usage.CacheWrite, u.Get("prompt_tokens_details.cache_write_tokens"))
	a.Usage.Input = max(in-a.Usage.CacheRead-a.Usage.CacheWrite, 0)
	usage.Take(&a.Usage.Output, u.Get("completion_tokens"))
	usage.Take(&a.Usage.Reasoning, u.Get("completion_tokens_details.reasoning_tokens"))
}

// delta takes what one chunk adds. Servers do not agree on a field for thinking, so it
// goes back in the one in which it came.
func (s *chatStream) delta(a *answer.Answer, d gjson.Result) (err error) {
	thought := false
	d.ForEach(func(key, v gjson.Result) bool {
		switch field := key.Str; {
		case field == "tool_calls" && v.IsArray():
			v.ForEach(func(_, c gjson.Result) bool {
				err = s.call(a, c)
				return err == nil
			})
		case field == "content" && v.IsArray():
			err = chatList(a, v)
		case v.Type != gjson.String || len(v.Raw) == 2:
		case field == "content" || field == "refusal":
			s.refused = s.refused || field == "refusal"
			err = a.SayText(v)
		case (field == "reasoning_content" || field == "reasoning") && !thought:
			thought = true
			if b := a.Last(answer.Thinking); !b.Kept() {
				b.Keep("field", key.Raw)
			}
			err = a.SayThinking(v)
		}
		return err == nil
	})
	return err
}

// chatList takes content in Mistral's form, a list of texts and thinking.
func chatList(a *answer.Answer, list gjson.Result) (err error) {
	list.ForEach(func(_, c gjson.Result) bool {
		if err = a.SayText(c.Get("text")); err == nil {
			c.Get("thinking").ForEach(func(_, t gjson.Result) bool {
				err = a.SayThinking(t.Get("text"))
				return err == nil
			})
		}
		return err == nil
	})
	return err
}

// call takes a piece of a call. A piece belongs to the call with its index. Some servers
// send no index, or the same one for all calls, but with different IDs. A call is
// complete when the next one begins.
func (s *chatStream) call(a *answer.Answer, c gjson.Result) error {
	i, id, name := c.Get("index").Int(), c.Get("id").Str, c.Get("function.name").Str
	b := s.at[i]
	if b == nil || name != "" && (id != b.Given || id == "" && !b.Empty()) {
		a.CloseAll()
		b = a.Call(id, name)
		s.at[i] = b
	}
	if b.Kind == answer.Unknown {
		return nil
	}
	// Gemini's seal on a call, which must be sent back with it.
	if seal := c.Get("extra_content"); seal.IsObject() {
		b.Keep("extra_content", seal.Raw)
	}
	args := c.Get("function.arguments")
	switch {
	case b.Done() && args.Raw != "" && args.Raw != `""`:
		return failure.CutOff(errNoBlock)
	case args.IsObject():
		return a.FeedJSON(b, args.Raw)
	}
	return a.Feed(b, args)
}

// chatWhole reads a completion that was not streamed.
func chatWhole(m Model, body []byte, a *answer.Answer) error {
	v := gjson.ParseBytes(body)
	a.Model = v.Get("model").Str
	chatUsage(a, v.Get("usage"))
	s := &chatStream{provider: m.Provider, at: map[int64]*answer.Block{}}
	if err := s.delta(a, v.Get("choices.0.message")); err != nil {
		return err
	}
	s.stop(a, v.Get("choices.0.finish_reason"))
	return nil
}

// openaiRefusal is the body of an error of OpenAI's APIs, and of most that follow them.
func openaiRefusal(r Refusal) any {
	return map[string]any{"error": map[string]any{
		"message": r.Message, "type": r.Type, "code": r.Code, "param": nil,
	}}
}
