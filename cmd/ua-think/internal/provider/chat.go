package provider

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/conversation"
	"ua/cmd/ua-think/internal/usage"
)

// OpenAI's Chat Completions API, which most servers of open models speak too
// (platform.openai.com/docs/api-reference/chat).

// A chatBody is the body of a request. Its members keep this order.
type chatBody struct {
	Model               string          `json:"model"`
	Stream              bool            `json:"stream"`
	StreamOptions       *chatStreamOpts `json:"stream_options,omitempty"`
	MaxCompletionTokens int             `json:"max_completion_tokens,omitempty"`
	MaxTokens           int             `json:"max_tokens,omitempty"`
	ReasoningEffort     string          `json:"reasoning_effort,omitempty"`
	PromptCacheKey      string          `json:"prompt_cache_key,omitempty"`
	ResponseFormat      *chatFormat     `json:"response_format,omitempty"`
	Tools               []chatTool      `json:"tools,omitempty"`
	ToolChoice          string          `json:"tool_choice,omitempty"`
	Messages            []chatMessage   `json:"messages"` // the system prompt alone: see API.message
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
	Role       string          `json:"role"`
	ToolCallID string          `json:"tool_call_id,omitempty"`
	Content    any             `json:"content"`
	Reasoning  string          `json:"reasoning,omitempty"`
	ReasoningC string          `json:"reasoning_content,omitempty"`
	Details    json.RawMessage `json:"reasoning_details,omitempty"`
	ToolCalls  []chatCall      `json:"tool_calls,omitempty"`
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
		Model: m.Name, Stream: true, StreamOptions: &chatStreamOpts{true},
		ReasoningEffort: r.Effort, Tools: chatTools(r), Messages: []chatMessage{},
	}
	if official(m) {
		body.PromptCacheKey = r.Talk.CacheKey()
	}
	switch {
	case m.Refuses("max_tokens"), official(m) && !m.Refuses("max_completion_tokens"):
		body.MaxCompletionTokens = r.MaxTokens
	default:
		body.MaxTokens = r.MaxTokens
	}
	if m.Refuses("stream_options") {
		body.StreamOptions = nil
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
		case conversation.Provider:
			if list := p.Block.Get("item.reasoning_details"); p.Model == m.Spec() && list.IsArray() {
				out.Details = raw(list)
			}
		case conversation.Thinking:
			switch field := p.Block.Get("field").Str; {
			case !m.said(p):
			case p.Tagged() != "":
				text = joined(text, p.Tagged())
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
	if out.Details != nil {
		out.Reasoning = "" // it is part of these
	}
	return out
}

// chatCallOf returns a call, with the provider's seal on it if it has one.
func chatCallOf(m Model, p conversation.Part) chatCall {
	call := chatCall{ID: m.id(p), Type: "function", Function: chatCalled{p.Name, p.Input}}
	if seal := p.Block.Get("extra_content"); seal.IsObject() && m.said(p) {
		call.Extra = raw(seal)
	}
	return call
}

// chatUser returns the results of calls, each as a message, and then what the user said
// with the media of the results: a message of a tool can hold only text.
func chatUser(m Model, msg conversation.Message) (list []chatMessage) {
	content := userContent(msg, func(result conversation.Part) {
		list = append(list, chatMessage{Role: "tool", ToolCallID: m.id(result), Content: result.Text})
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

// A chatStream decodes the chunks of one completion.
type chatStream struct {
	refused bool
	details details
}

// chatEvents returns what takes the chunks of a completion, or the whole of it.
func chatEvents(m Model) take {
	return (&chatStream{details: details{provider: m.Provider}}).event
}

// event takes one chunk.
func (s *chatStream) event(a *answer.Answer, _ string, data gjson.Result) error {
	choices, u, x := pick3(data, "choices", "usage", "x_groq")
	if a.Model == "" {
		a.Model = data.Get("model").Str
	}
	choice := choices.Get("0")
	delta, message, why := pick3(choice, "delta", "message", "finish_reason")
	if why.Str != "" {
		chatUsage(a, choice.Get("usage"))
	}
	chatUsage(a, x.Get("usage"))
	chatUsage(a, u)
	if err := s.delta(a, delta, false); err != nil {
		return err
	}
	if err := s.delta(a, message, true); err != nil {
		return err
	}
	a.Ended(why.Str)
	if s.refused && why.Str != "" {
		a.Stop = answer.Refusal
	}
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
func (s *chatStream) delta(a *answer.Answer, d gjson.Result, whole bool) (err error) {
	thought := false
	d.ForEach(func(key, v gjson.Result) bool {
		switch field := key.Str; {
		case field == "tool_calls":
			err = chatCalls(a, v, whole)
		case field == "function_call" && v.IsObject():
			_, err = a.Add(answer.Piece{Index: field, Name: v.Get("name").Str, Args: v.Get("arguments")})
		case field == "reasoning_details":
			err = s.details.add(a, v)
		case field == "content" && v.IsArray():
			err = chatList(a, v)
		case v.Type != gjson.String || len(v.Raw) == 2:
		case field == "content" && whole:
			err = a.SayRest(nil, v)
		case field == "content" || field == "refusal":
			s.refused = s.refused || field == "refusal"
			err = a.SayText(v)
		case (field == "reasoning_content" || field == "reasoning") && !thought:
			thought = true
			b := a.Last(answer.Thinking)
			if !b.Kept() {
				b.Keep("field", key.Raw)
			}
			if !whole || b.Empty() {
				err = a.SayThinking(v)
			}
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

// chatCalls takes pieces of calls. Where a server gives no index, the place of a piece among
// several, or in a whole message, is one.
func chatCalls(a *answer.Answer, list gjson.Result, whole bool) error {
	pieces := list.Array()
	for i, c := range pieces {
		p := answer.Piece{
			Index: c.Get("index").String(), ID: c.Get("id").Str,
			Name: c.Get("function.name").Str, Args: c.Get("function.arguments"),
		}
		if p.Index == "" && (whole || len(pieces) > 1) {
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
