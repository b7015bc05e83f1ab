package provider

import (
	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/conversation"
)

// OpenAI's Responses API. Nothing is stored at the provider (store is false), so the
// sealed reasoning is sent back with each request
// (platform.openai.com/docs/api-reference/responses).

// responsesRequest returns the body without items.
func responsesRequest(m Model, r *Request) object {
	var format, choice any
	var tools []any
	if r.Schema != "" {
		format = object{"format", object{"type", "json_schema", "name", "answer", "strict", false,
			"schema", r.schema()}}
	}
	list, none := r.tools()
	for _, t := range list {
		tools = append(tools, object{"type", "function", "name", t.name,
			"description", orNil(t.description), "parameters", orNil(t.schema), "strict", false})
	}
	if none && len(tools) > 0 {
		choice = "none"
	}
	return object{"model", m.Name, "stream", true, "store", false,
		"include", []any{"reasoning.encrypted_content"}, "prompt_cache_key", r.Talk.CacheKey(),
		"max_output_tokens", opt(r.MaxTokens), "reasoning", responsesEffort(r), "text", format,
		"instructions", opt(r.Talk.System), "tools", orNil(tools), "tool_choice", choice,
		"input", []any{}}
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
