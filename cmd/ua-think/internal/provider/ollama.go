package provider

import (
	"cmp"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/conversation"
	"ua/cmd/ua-think/internal/usage"
)

// Ollama's own API, which streams one JSON object a line
// (github.com/ollama/ollama/blob/main/docs/api.md).

// An ollamaBody is the body of a request. Its members keep this order.
type ollamaBody struct {
	Model    string `json:"model"`
	Stream   bool   `json:"stream"`
	Truncate bool   `json:"truncate"` // false: too long a conversation is an error, not cut
	// false: nor is its beginning dropped during the answer
	Shift    bool            `json:"shift"`
	Think    any             `json:"think,omitempty"`
	Options  ollamaOptions   `json:"options"`
	Format   json.RawMessage `json:"format,omitempty"`
	Tools    []chatTool      `json:"tools,omitempty"`
	Messages []ollamaMessage `json:"messages"` // the system prompt alone: see API.message
}

// ollamaOptions bounds the tokens of the context and of the answer.
type ollamaOptions struct {
	NumCtx     int `json:"num_ctx"`
	NumPredict int `json:"num_predict,omitempty"`
}

// An ollamaMessage is one message. Images are in base64.
type ollamaMessage struct {
	Role      string       `json:"role"`
	ToolName  string       `json:"tool_name,omitempty"`
	Content   string       `json:"content"`
	Thinking  string       `json:"thinking,omitempty"`
	Images    []string     `json:"images,omitempty"`
	ToolCalls []ollamaCall `json:"tool_calls,omitempty"`
}

// An ollamaCall is a call in an answer.
type ollamaCall struct {
	Function ollamaCalled `json:"function"`
}

// An ollamaCalled is the tool and the input of a call, a JSON object.
type ollamaCalled struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

// ollamaRequest returns the body with the system prompt as its only message.
func ollamaRequest(m Model, r *Request) any {
	body := &ollamaBody{
		Model: m.Name, Stream: true, Format: r.schema(),
		Options:  ollamaOptions{NumCtx: ollamaContext(m, r), NumPredict: r.MaxTokens},
		Messages: []ollamaMessage{},
	}
	switch {
	case r.Thinking == 0:
		body.Think = false
	case r.Effort != "":
		body.Think = r.Effort
	case r.Thinking > 0:
		body.Think = true
	}
	// The API has no tool_choice, so tools that must not be called are not declared.
	if _, none := r.tools(); !none {
		body.Tools = chatTools(r)
	}
	if r.Talk.System != "" {
		body.Messages = append(body.Messages, ollamaMessage{Role: "system", Content: r.Talk.System})
	}
	return body
}

// ollamaMessages returns a message of the conversation as messages of the API.
func ollamaMessages(m Model, msg conversation.Message, _ bool) []any {
	if msg.Assistant {
		return []any{ollamaAssistant(m, msg)}
	}
	return anys(ollamaUser(m, msg))
}

// The context to ask Ollama for, in tokens. Its own default of 4096 is less than one
// file.
const (
	ollamaLeast = 8192 // the smallest context
	ollamaRoom  = 4096 // for the answer, when no limit says how long it gets
)

// ollamaContext returns the context to ask for: that of the settings, or the smallest
// power of two that holds the conversation and the answer. It is a power of two because
// the server loads the model again for every other size.
func ollamaContext(m Model, r *Request) int {
	if m.NumCtx > 0 {
		return m.NumCtx
	}
	room := r.MaxTokens
	if room == 0 {
		room = ollamaRoom + max(r.Thinking, 0)
	}
	need := r.Talk.Tokens()
	need += need/4 + room // the count is a guess from bytes
	n := ollamaLeast
	for n < need {
		n *= 2
	}
	return n
}

// ollamaAssistant returns an answer of the model.
func ollamaAssistant(m Model, msg conversation.Message) ollamaMessage {
	out := ollamaMessage{Role: "assistant"}
	for _, p := range msg.Parts {
		switch {
		case p.Kind == conversation.Text:
			out.Content = joined(out.Content, p.Text)
		case p.Tagged() != "" && m.said(p):
			out.Content = joined(out.Content, p.Tagged())
		case p.Kind == conversation.Thinking && m.said(p):
			out.Thinking = joined(out.Thinking, p.Text)
		case p.Kind == conversation.Call:
			out.ToolCalls = append(out.ToolCalls,
				ollamaCall{ollamaCalled{p.Name, json.RawMessage(p.Input)}})
		}
	}
	return out
}

// ollamaUser returns results, which refer to their call by the tool's name, and then what
// the user said with its images.
func ollamaUser(m Model, msg conversation.Message) (list []ollamaMessage) {
	said := ollamaMessage{Role: "user"}
	for _, p := range msg.Parts {
		switch p.Kind {
		case conversation.Result:
			list = append(list, ollamaMessage{Role: "tool", ToolName: p.Name, Content: p.Text})
		case conversation.Text:
			said.Content = joined(said.Content, p.Text)
		}
		for _, md := range p.Media {
			if md.Image() && !m.Blind {
				said.Images = append(said.Images, md.Data)
			} else {
				said.Content = joined(said.Content, md.Apology())
			}
		}
	}
	if said.Content == "" && len(said.Images) == 0 {
		return list
	}
	return append(list, said)
}

// ollamaEvents returns what takes the lines of an answer. The line with "done" ends it.
func ollamaEvents(m Model) take {
	n := 0 // calls, which come whole, in the order of their lines
	return func(a *answer.Answer, _ string, data gjson.Result) error {
		a.Model = m.Name
		msg := data.Get("message")
		if err := a.SayThinking(msg.Get("thinking")); err != nil {
			return err
		}
		if err := a.SayText(msg.Get("content")); err != nil {
			return err
		}
		for _, c := range msg.Get("tool_calls").Array() {
			n++
			b, err := a.Add(answer.Piece{
				Index: strconv.Itoa(n), ID: c.Get("id").Str,
				Name: c.Get("function.name").Str, Args: c.Get("function.arguments"),
			})
			if err != nil {
				return err
			}
			a.Close(b)
		}
		if !data.Get("done").Bool() {
			return nil
		}
		usage.Take(&a.Usage.Input, data.Get("prompt_eval_count"))
		usage.Take(&a.Usage.Output, data.Get("eval_count"))
		a.Ended(cmp.Or(data.Get("done_reason").Str, "stop")) // older servers say nothing more
		return errDone
	}
}

// ollamaBase returns OLLAMA_HOST as a URL. Scheme and port may be missing, and 0.0.0.0,
// on which the server listens, becomes an address to connect to.
func ollamaBase(host string) string {
	if !strings.Contains(host, "://") {
		host = "http://" + host
	}
	u, err := url.Parse(host)
	if err != nil {
		return host
	}
	if u.Port() == "" && u.Scheme == "http" {
		u.Host += ":11434"
	}
	if u.Hostname() == "0.0.0.0" {
		u.Host = "127.0.0.1:" + u.Port()
	}
	return u.String()
}
