package fake

import (
	"encoding/json"
	"fmt"
)

// APIs returns the names of the APIs.
func APIs() []string { return []string{"anthropic", "openai", "openai-chat", "ollama"} }

// A Say is one block of a fake answer.
type Say struct {
	Kind  string // text, thinking, redacted or tool
	Text  string // what is said, or a call's input
	ID    string
	Sig   string
	Piece int // bytes a delta, 0 for all at once
}

// JSON returns v as JSON text.
func JSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// cutUp returns text in pieces of n bytes, whole runes each.
func cutUp(text string, n int) (pieces []string) {
	if n <= 0 {
		return []string{text}
	}
	from := 0
	for i := range text {
		if i-from >= n {
			pieces = append(pieces, text[from:i])
			from = i
		}
	}
	return append(pieces, text[from:])
}

// Stream returns an answer as the events of an API.
func Stream(api, stop string, says ...Say) []string {
	switch api {
	case "anthropic":
		return Anthropic(stop, says)
	case "openai":
		return responsesEvents(stop, says)
	case "ollama":
		return ollamaEvents(stop, says)
	}
	return chatEvents(stop, says)
}

// SSE returns one server-sent event.
func SSE(name, data string) string { return "event: " + name + "\ndata: " + data + "\n\n" }

// Anthropic returns an answer as events of the Messages API.
func Anthropic(stop string, says []Say) (ev []string) {
	add := func(name, format string, a ...any) {
		ev = append(ev, SSE(name, fmt.Sprintf(`{"type":%q,`+format+`}`, append([]any{name}, a...)...)))
	}
	add("message_start", `"message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-fake","content":[],"stop_reason":null,"usage":{"input_tokens":7,"cache_read_input_tokens":20,"cache_creation_input_tokens":3,"output_tokens":1}}`)
	for i, s := range says {
		switch s.Kind {
		case "text":
			add("content_block_start", `"index":%d,"content_block":{"type":"text","text":""}`, i)
			ev = append(ev, SSE("ping", `{"type":"ping"}`))
			for _, p := range cutUp(s.Text, s.Piece) {
				add("content_block_delta", `"index":%d,"delta":{"type":"text_delta","text":%s}`, i, JSON(p))
			}
		case "thinking":
			add("content_block_start",
				`"index":%d,"content_block":{"type":"thinking","thinking":"","signature":""}`, i)
			for _, p := range cutUp(s.Text, s.Piece) {
				add("content_block_delta", `"index":%d,"delta":{"type":"thinking_delta","thinking":%s}`, i,
					JSON(p))
			}
			add("content_block_delta", `"index":%d,"delta":{"type":"signature_delta","signature":%s}`, i,
				JSON(s.Sig))
		case "redacted":
			add("content_block_start", `"index":%d,"content_block":{"type":"redacted_thinking","data":%s}`,
				i, JSON(s.Text))
		case "tool":
			add("content_block_start",
				`"index":%d,"content_block":{"type":"tool_use","id":%s,"name":"shell","input":{}}`, i,
				JSON(s.ID))
			for _, p := range cutUp(s.Text, s.Piece) {
				add("content_block_delta", `"index":%d,"delta":{"type":"input_json_delta","partial_json":%s}`,
					i, JSON(p))
			}
		}
		add("content_block_stop", `"index":%d`, i)
	}
	add("message_delta", `"delta":{"stop_reason":%q,"stop_sequence":null},"usage":{"output_tokens":42}`, stop)
	return append(ev, SSE("message_stop", `{"type":"message_stop"}`))
}

func chatEvents(stop string, says []Say) (ev []string) {
	why := map[string]string{"end_turn": "stop", "tool_use": "tool_calls", "max_tokens": "length",
		"refusal": "content_filter"}[stop]
	add := func(delta, finish string) {
		ev = append(ev, `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"fake","choices":[{"index":0,"delta":`+delta+`,"finish_reason":`+finish+`}]}`+"\n\n")
	}
	add(`{"role":"assistant","content":""}`, "null")
	calls := 0
	for _, s := range says {
		switch s.Kind {
		case "text":
			for _, p := range cutUp(s.Text, s.Piece) {
				add(`{"content":`+JSON(p)+`}`, "null")
			}
		case "thinking":
			for _, p := range cutUp(s.Text, s.Piece) {
				add(`{"reasoning_content":`+JSON(p)+`}`, "null")
			}
		case "tool":
			add(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":%s,"type":"function","function":{"name":"shell","arguments":""}}]}`, calls, JSON(s.ID)), "null")
			for _, p := range cutUp(s.Text, s.Piece) {
				add(fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":%s}}]}`, calls, JSON(p)),
					"null")
			}
			calls++
		}
	}
	add(`{}`, JSON(why))
	ev = append(ev, `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"fake","choices":[],"usage":{"prompt_tokens":30,"completion_tokens":42,"total_tokens":72,"prompt_tokens_details":{"cached_tokens":20},"completion_tokens_details":{"reasoning_tokens":5}}}`+"\n\n")
	return append(ev, "data: [DONE]\n\n")
}

func responsesEvents(stop string, says []Say) (ev []string) {
	add := func(typ, format string, a ...any) {
		ev = append(ev, SSE(typ, fmt.Sprintf(`{"type":%q,"sequence_number":%d,`+format+`}`,
			append([]any{typ, len(ev)}, a...)...)))
	}
	add("response.created",
		`"response":{"id":"resp_1","object":"response","model":"gpt-fake","status":"in_progress","output":[]}`)
	for i, s := range says {
		switch s.Kind {
		case "text":
			add("response.output_item.added",
				`"output_index":%d,"item":{"id":"msg_%d","type":"message","role":"assistant","content":[],"status":"in_progress"}`, i, i)
			for _, p := range cutUp(s.Text, s.Piece) {
				add("response.output_text.delta",
					`"output_index":%d,"content_index":0,"item_id":"msg_%d","delta":%s`, i, i, JSON(p))
			}
			add("response.output_item.done",
				`"output_index":%d,"item":{"id":"msg_%d","type":"message","role":"assistant","phase":"commentary","status":"completed","content":[{"type":"output_text","text":%s,"annotations":[]}]}`, i, i, JSON(s.Text))
		case "thinking":
			add("response.output_item.added",
				`"output_index":%d,"item":{"id":"rs_%d","type":"reasoning","summary":[]}`, i, i)
			add("response.reasoning_summary_text.delta",
				`"output_index":%d,"summary_index":0,"item_id":"rs_%d","delta":%s`, i, i, JSON(s.Text))
			add("response.output_item.done",
				`"output_index":%d,"item":{"id":"rs_%d","type":"reasoning","summary":[{"type":"summary_text","text":%s}],"encrypted_content":%s}`, i, i, JSON(s.Text), JSON(s.Sig))
		case "tool":
			add("response.output_item.added",
				`"output_index":%d,"item":{"id":"fc_%d","type":"function_call","call_id":%s,"name":"shell","arguments":"","status":"in_progress"}`, i, i, JSON(s.ID))
			for _, p := range cutUp(s.Text, s.Piece) {
				add("response.function_call_arguments.delta", `"output_index":%d,"item_id":"fc_%d","delta":%s`,
					i, i, JSON(p))
			}
			add("response.output_item.done",
				`"output_index":%d,"item":{"id":"fc_%d","type":"function_call","call_id":%s,"name":"shell","arguments":%s,"status":"completed"}`, i, i, JSON(s.ID), JSON(s.Text))
		}
	}
	usage := `"usage":{"input_tokens":30,"input_tokens_details":{"cached_tokens":20,"cache_write_tokens":3},"output_tokens":42,"output_tokens_details":{"reasoning_tokens":5},"total_tokens":72}`
	switch stop {
	case "max_tokens":
		add("response.incomplete",
			`"response":{"id":"resp_1","object":"response","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},%s}`, usage)
	case "refusal":
		add("response.incomplete",
			`"response":{"id":"resp_1","object":"response","status":"incomplete","incomplete_details":{"reason":"content_filter"},%s}`, usage)
	default:
		add("response.completed",
			`"response":{"id":"resp_1","object":"response","status":"completed",%s}`, usage)
	}
	return ev
}

func ollamaEvents(stop string, says []Say) (ev []string) {
	add := func(msg, rest string) {
		ev = append(ev, `{"model":"fake","created_at":"2026-01-01T00:00:00Z","message":{"role":"assistant",`+msg+`}`+rest+"}\n")
	}
	for _, s := range says {
		switch s.Kind {
		case "text":
			for _, p := range cutUp(s.Text, s.Piece) {
				add(`"content":`+JSON(p), `,"done":false`)
			}
		case "thinking":
			add(`"content":"","thinking":`+JSON(s.Text), `,"done":false`)
		case "tool":
			add(`"content":"","tool_calls":[{"function":{"name":"shell","arguments":`+s.Text+`}}]`,
				`,"done":false`)
		}
	}
	why := map[string]string{"max_tokens": "length"}[stop]
	if why == "" {
		why = "stop"
	}
	add(`"content":""`, `,"done":true,"done_reason":`+JSON(why)+`,"prompt_eval_count":30,"eval_count":42`)
	return ev
}

// Done returns a whole answer, "Done.", of an API.
func Done(api string) Reply {
	return Reply{Pieces: Stream(api, "end_turn", Say{Kind: "text", Text: "Done."})}
}

// APIError returns an error in the form of the Messages API. header is names and
// values in turn.
func APIError(status int, typ, msg string, header ...string) Reply {
	r := Reply{Status: status,
		Pieces: []string{fmt.Sprintf(`{"type":"error","error":{"type":%q,"message":%q}}`, typ, msg)},
		Header: map[string]string{}}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header[header[i]] = header[i+1]
	}
	return r
}
