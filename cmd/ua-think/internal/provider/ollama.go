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

// ollamaRequest returns the body with the system prompt as its only message. Too long a
// conversation is an error: neither is it cut, nor is its beginning dropped in the answer.
func ollamaRequest(m Model, r *Request) object {
	var think any
	switch {
	case r.Thinking == 0:
		think = false
	case r.Effort != "":
		think = r.Effort
	case r.Thinking > 0:
		think = true
	}
	// The API has no tool_choice, so tools that must not be called are not declared.
	tools, none := r.tools(chatTool)
	if none != "" {
		tools = nil
	}
	return object{"model", m.Name, "stream", true, "truncate", false, "shift", false,
		"think", think, "options", object{"num_ctx", ollamaContext(m, r),
			"num_predict", opt(r.MaxTokens)}, "format", orNil(r.schema()), "tools", orNil(tools),
		"messages", chatSystem(r)}
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
func ollamaAssistant(m Model, msg conversation.Message) []any {
	text, thinking := "", ""
	var calls []any
	for _, p := range msg.Parts {
		switch {
		case p.Kind == conversation.Text:
			text = joined(text, p.Text)
		case p.Tagged() != "" && m.said(p):
			text = joined(text, p.Tagged())
		case p.Kind == conversation.Thinking && m.said(p):
			thinking = joined(thinking, p.Text)
		case p.Kind == conversation.Call:
			calls = append(calls, object{"function",
				object{"name", p.Name, "arguments", json.RawMessage(p.Input)}})
		}
	}
	return []any{object{"role", "assistant", "content", text, "thinking", opt(thinking),
		"tool_calls", orNil(calls)}}
}

// ollamaUser returns results, which refer to their call by the tool's name, and then what
// the user said with its images, in base64.
func ollamaUser(m Model, msg conversation.Message) (list []any) {
	text, images := "", []any(nil)
	for _, p := range msg.Parts {
		switch p.Kind {
		case conversation.Result:
			list = append(list, object{"role", "tool", "tool_name", opt(p.Name), "content", p.Text})
		case conversation.Text:
			text = joined(text, p.Text)
		}
		for _, md := range p.Media {
			if md.Image() && !m.Blind {
				images = append(images, md.Data)
			} else {
				text = joined(text, md.Apology())
			}
		}
	}
	if text == "" && len(images) == 0 {
		return list
	}
	return append(list, object{"role", "user", "content", text, "images", orNil(images)})
}

// ollamaEvents returns what takes the lines of an answer. The line with "done" ends it.
func ollamaEvents(m Model) take {
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
			b, err := a.Add(answer.Piece{ // a whole one
				Index: strconv.Itoa(len(a.Blocks)), ID: c.Get("id").Str,
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
