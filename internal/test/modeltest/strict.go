package modeltest

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/tidwall/gjson"
)

// strict returns an error for the rule of its API that a request breaks.
func strict(speaks api, r *http.Request, raw []byte) error {
	if r.Method != "POST" || r.Header.Get("Content-Type") != "application/json" {
		return errors.New("not a POST of JSON")
	}
	if !gjson.ValidBytes(raw) {
		return errors.New("the body is not JSON")
	}
	body := gjson.ParseBytes(raw)
	if !body.Get("stream").Bool() || body.Get("model").Str == "" {
		return errors.New("no model, or no stream")
	}
	if speaks.name == "" {
		return fmt.Errorf("unknown path %s", r.URL.Path)
	}
	return speaks.strict(body)
}

// strictAnthropic checks a body of the Messages API: the order of roles and blocks, and a
// result for each call.
func strictAnthropic(body gjson.Result) error {
	if body.Get("max_tokens").Int() <= 0 {
		return errors.New("max_tokens is missing")
	}
	if b := body.Get("thinking.budget_tokens"); b.Exists() &&
		(b.Int() < 1024 || b.Int() >= body.Get("max_tokens").Int()) {
		return errors.New("thinking.budget_tokens is out of range")
	}
	if n := strings.Count(body.Raw, `"cache_control"`); n > 4 {
		return fmt.Errorf("%d cache breakpoints, at most 4", n)
	}
	names := map[string]bool{}
	for _, t := range body.Get("tools").Array() {
		names[t.Get("name").Str] = true
		if t.Get("input_schema.type").Str != "object" {
			return errors.New("a tool has no schema")
		}
	}
	for _, s := range body.Get("system").Array() {
		if strings.TrimSpace(s.Get("text").Str) == "" {
			return errors.New("system: text content blocks must be non-empty")
		}
	}
	messages := body.Get("messages").Array()
	if len(messages) == 0 || messages[len(messages)-1].Get("role").Str != "user" {
		return errors.New("the conversation must end with a user message")
	}
	// Each call is answered in the very next message, by its ID and in order.
	seen := map[string]bool{}
	var open []string
	for i, m := range messages {
		if want := []string{"user", "assistant"}[i%2]; m.Get("role").Str != want {
			return fmt.Errorf("messages.%d: role is %s, want %s", i, m.Get("role").Str, want)
		}
		blocks := m.Get("content").Array()
		if len(blocks) == 0 {
			return fmt.Errorf("messages.%d: empty content", i)
		}
		var results, calls []string
		for j, b := range blocks {
			switch b.Get("type").Str {
			case "text":
				if strings.TrimSpace(b.Get("text").Str) == "" {
					return fmt.Errorf("messages.%d.%d: text content blocks must contain non-whitespace text", i,
						j)
				}
			case "tool_use":
				id := b.Get("id").Str
				if seen[id] || id == "" || !b.Get("input").IsObject() ||
					!names[b.Get("name").Str] &&
						b.Get("name").Str == "" {
					return fmt.Errorf("messages.%d.%d: bad tool_use %s", i, j, b.Raw)
				}
				seen[id] = true
				calls = append(calls, id)
			case "tool_result":
				if len(results) < j {
					return fmt.Errorf("messages.%d.%d: tool_result blocks must come first", i, j)
				}
				results = append(results, b.Get("tool_use_id").Str)
				for _, c := range b.Get("content").Array() {
					if c.Get("type").Str == "text" && strings.TrimSpace(c.Get("text").Str) == "" {
						return fmt.Errorf("messages.%d.%d: empty text in a result", i, j)
					}
				}
			case "thinking":
				if !strings.HasPrefix(b.Get("signature").Str, "sig-") {
					return fmt.Errorf("messages.%d.%d: bad signature", i, j)
				}
			case "redacted_thinking":
				if !strings.HasPrefix(b.Get("data").Str, "red-") {
					return fmt.Errorf("messages.%d.%d: bad redacted data", i, j)
				}
			case "image", "document":
				if b.Get("source.data").Str == "" || b.Get("source.media_type").Str == "" {
					return fmt.Errorf("messages.%d.%d: bad source", i, j)
				}
			default:
				return fmt.Errorf("messages.%d.%d: unknown block %s", i, j, b.Raw)
			}
		}
		if len(open) > 0 || len(results) > 0 {
			if fmt.Sprint(open) != fmt.Sprint(results) {
				return fmt.Errorf("messages.%d: tool_use ids %v are answered by %v", i, open,
					results)
			}
		}
		if open = calls; len(calls) > 0 && len(names) == 0 {
			return errors.New("tool_use without tools")
		}
	}
	return nil
}

// errNoUsage is the rule of our own that a request asks how many tokens it took.
var errNoUsage = errors.New("no usage is asked for")

// strictChat checks a body of Chat Completions.
func strictChat(body gjson.Result) error {
	if !body.Get("stream_options.include_usage").Bool() {
		return errNoUsage
	}
	// Every call has its answer before another role speaks.
	open := map[string]bool{}
	last := ""
	for i, m := range body.Get("messages").Array() {
		role := m.Get("role").Str
		if role != "tool" && len(open) > 0 {
			return fmt.Errorf("messages.%d: tool_call_ids %v have no answer", i, open)
		}
		switch role {
		case "system":
			if i != 0 {
				return errors.New("system must come first")
			}
		case "assistant":
			for _, c := range m.Get("tool_calls").Array() {
				if !gjson.Valid(c.Get("function.arguments").Str) ||
					c.Get("type").Str != "function" ||
					open[c.Get("id").Str] {
					return fmt.Errorf("messages.%d: bad tool call %s", i, c.Raw)
				}
				open[c.Get("id").Str] = true
			}
			if m.Get("content").Str == "" && len(open) == 0 {
				return fmt.Errorf("messages.%d: empty assistant message", i)
			}
		case "tool":
			id := m.Get("tool_call_id").Str
			if !open[id] || m.Get("content").Type != gjson.String {
				return fmt.Errorf("messages.%d: tool message for %q, open are %v", i, id, open)
			}
			delete(open, id)
		case "user":
			c := m.Get("content")
			if c.Type == gjson.String && c.Str == "" || c.IsArray() && len(c.Array()) == 0 {
				return fmt.Errorf("messages.%d: empty content", i)
			}
		default:
			return fmt.Errorf("messages.%d: role %q", i, role)
		}
		last = role
	}
	if last != "user" && last != "tool" {
		return fmt.Errorf("the last message is of role %q", last)
	}
	return nil
}

// strictResponses checks a body of Responses.
func strictResponses(body gjson.Result) error {
	if body.Get("store").Type != gjson.False ||
		body.Get("include.0").Str != "reasoning.encrypted_content" ||
		body.Get("prompt_cache_key").Str == "" {
		return errors.New("store, include or prompt_cache_key is missing")
	}
	open := map[string]bool{}
	for i, item := range body.Get("input").Array() {
		switch item.Get("type").Str {
		case "message":
			if len(open) > 0 && item.Get("role").Str == "user" {
				return fmt.Errorf("input.%d: no output for %v", i, open)
			}
			if c := item.Get("content"); c.Type == gjson.String && c.Str == "" || c.IsArray() &&
				len(c.Array()) == 0 {
				return fmt.Errorf("input.%d: empty content", i)
			}
		case "function_call":
			id := item.Get("call_id").Str
			if id == "" || open[id] || !gjson.Valid(item.Get("arguments").Str) {
				return fmt.Errorf("input.%d: bad call %s", i, item.Raw)
			}
			open[id] = true
		case "function_call_output":
			id := item.Get("call_id").Str
			if !open[id] || item.Get("output").Type != gjson.String {
				return fmt.Errorf("input.%d: no call %q is open", i, id)
			}
			delete(open, id)
		case "reasoning":
			if !strings.HasPrefix(item.Get("encrypted_content").Str, "sig-") {
				return fmt.Errorf("input.%d: reasoning without its sealed content", i)
			}
		default:
			return fmt.Errorf("input.%d: unknown item %s", i, item.Raw)
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("no output for %v", open)
	}
	return nil
}

// strictOllama checks a body of Ollama's API.
func strictOllama(body gjson.Result) error {
	calls := 0
	for i, m := range body.Get("messages").Array() {
		switch m.Get("role").Str {
		case "assistant":
			if calls > 0 {
				return fmt.Errorf("messages.%d: %d calls have no answer", i, calls)
			}
			for _, c := range m.Get("tool_calls").Array() {
				if !c.Get("function.arguments").IsObject() {
					return fmt.Errorf("messages.%d: arguments must be an object", i)
				}
				calls++
			}
		case "tool":
			if calls--; calls < 0 || m.Get("tool_name").Str == "" {
				return fmt.Errorf("messages.%d: a tool message without its call", i)
			}
		case "user", "system":
			if m.Get("content").Type != gjson.String || m.Get("content").Str == "" &&
				!m.Get("images.0").Exists() {
				return fmt.Errorf("messages.%d: empty content", i)
			}
		default:
			return fmt.Errorf("messages.%d: role %q", i, m.Get("role").Str)
		}
	}
	if calls > 0 {
		return fmt.Errorf("%d calls have no answer", calls)
	}
	return nil
}
