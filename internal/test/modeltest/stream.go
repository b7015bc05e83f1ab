package modeltest

import (
	"cmp"
	"encoding/json"
	"fmt"
)

// A Say is one block of an answer.
type Say struct {
	Kind  string // text, thinking, redacted or tool
	Text  string // what is said, or a call's input
	ID    string
	Sig   string
	Name  string // of the tool, "" for shell
	Piece int    // bytes a delta, 0 for all at once
}

// name returns the name of the tool that is called.
func (s Say) name() string { return JSON(cmp.Or(s.Name, "shell")) }

// A Usage is what a server says that an answer has used, in tokens.
type Usage struct{ Fresh, Read, Written, Output, Reasoning int }

// usual is the usage that the answers of Stream report.
var usual = Usage{Fresh: 7, Read: 20, Written: 3, Output: 42, Reasoning: 5}

// Prompt returns how many tokens the whole request had.
func (u Usage) Prompt() int { return u.Fresh + u.Read + u.Written }

// JSON returns v as JSON text.
func JSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// cutUp returns text in pieces of at least n bytes that split no character.
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
	return apiNamed(api).events(usual, stop, says)
}

// SSE returns one server-sent event.
func SSE(name, data string) string { return "event: " + name + "\ndata: " + data + "\n\n" }

// messagesEvents returns an answer of Anthropic's Messages API.
func (u Usage) messagesEvents(stop string, says []Say) (ev []string) {
	add := func(name, format string, a ...any) {
		ev = append(ev, SSE(name, fmt.Sprintf(`{"type":%q,`+format+`}`, append([]any{name}, a...)...)))
	}
	add("message_start", `"message":{"id":"msg_1","type":"message","role":"assistant",`+
		`"model":"claude-fake","content":[],"stop_reason":null,"usage":{"input_tokens":%d,`+
		`"cache_read_input_tokens":%d,"cache_creation_input_tokens":%d,"output_tokens":1}}`,
		u.Fresh, u.Read, u.Written)
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
				`"index":%d,"content_block":{"type":"tool_use","id":%s,"name":%s,"input":{}}`, i,
				JSON(s.ID), s.name())
			for _, p := range cutUp(s.Text, s.Piece) {
				add("content_block_delta", `"index":%d,"delta":{"type":"input_json_delta","partial_json":%s}`,
					i, JSON(p))
			}
		}
		add("content_block_stop", `"index":%d`, i)
	}
	add("message_delta", `"delta":{"stop_reason":%q,"stop_sequence":null},`+
		`"usage":{"output_tokens":%d}`,
		stop, u.Output)
	return append(ev, SSE("message_stop", `{"type":"message_stop"}`))
}

// chatEvents returns an answer of OpenAI's Chat Completions API.
func (u Usage) chatEvents(stop string, says []Say) (ev []string) {
	why := cmp.Or(map[string]string{"end_turn": "stop", "tool_use": "tool_calls",
		"max_tokens": "length", "refusal": "content_filter"}[stop], stop)
	add := func(delta, finish string) {
		ev = append(ev, `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"fake",`+
			`"choices":[{"index":0,"delta":`+delta+`,"finish_reason":`+finish+`}]}`+"\n\n")
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
			add(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":%s,"type":"function","function":{"name":%s,`+
				`"arguments":""}}]}`, calls, JSON(s.ID), s.name()), "null")
			for _, p := range cutUp(s.Text, s.Piece) {
				add(fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":%s}}]}`, calls, JSON(p)),
					"null")
			}
			calls++
		}
	}
	add(`{}`, JSON(why))
	ev = append(ev, fmt.Sprintf(`data: {"id":"c","object":"chat.completion.chunk","created":1,`+
		`"model":"fake","choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d,`+
		`"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d},`+
		`"completion_tokens_details":{"reasoning_tokens":%d}}}`+"\n\n",
		u.Prompt(), u.Output, u.Prompt()+u.Output, u.Read, u.Reasoning))
	return append(ev, "data: [DONE]\n\n")
}

// responsesEvents returns an answer of OpenAI's Responses API.
func (u Usage) responsesEvents(stop string, says []Say) (ev []string) {
	// Each event tells its own number in the stream.
	add := func(typ, format string, a ...any) {
		ev = append(ev, SSE(typ, fmt.Sprintf(`{"type":%q,"sequence_number":%d,`+format+`}`,
			append([]any{typ, len(ev)}, a...)...)))
	}
	add("response.created",
		`"response":{"id":"resp_1","object":"response","model":"gpt-fake","status":"in_progress",`+
			`"output":[]}`)
	for i, s := range says {
		switch s.Kind {
		case "text":
			add("response.output_item.added",
				`"output_index":%d,"item":{"id":"msg_%d","type":"message","role":"assistant","content":[],`+
					`"status":"in_progress"}`, i, i)
			for _, p := range cutUp(s.Text, s.Piece) {
				add("response.output_text.delta",
					`"output_index":%d,"content_index":0,"item_id":"msg_%d","delta":%s`, i, i, JSON(p))
			}
			add("response.output_item.done",
				`"output_index":%d,"item":{"id":"msg_%d","type":"message","role":"assistant",`+
					`"phase":"commentary","status":"completed","content":[{"type":"output_text","text":%s,`+
					`"annotations":[]}]}`, i, i, JSON(s.Text))
		case "thinking":
			add("response.output_item.added",
				`"output_index":%d,"item":{"id":"rs_%d","type":"reasoning","summary":[]}`, i, i)
			add("response.reasoning_summary_text.delta",
				`"output_index":%d,"summary_index":0,"item_id":"rs_%d","delta":%s`, i, i, JSON(s.Text))
			add("response.output_item.done",
				`"output_index":%d,"item":{"id":"rs_%d","type":"reasoning",`+
					`"summary":[{"type":"summary_text","text":%s}],`+
					`"encrypted_content":%s}`, i, i, JSON(s.Text), JSON(s.Sig))
		case "tool":
			add("response.output_item.added",
				`"output_index":%d,"item":{"id":"fc_%d","type":"function_call","call_id":%s,"name":%s,`+
					`"arguments":"","status":"in_progress"}`, i, i, JSON(s.ID), s.name())
			for _, p := range cutUp(s.Text, s.Piece) {
				add("response.function_call_arguments.delta", `"output_index":%d,"item_id":"fc_%d","delta":%s`,
					i, i, JSON(p))
			}
			add("response.output_item.done",
				`"output_index":%d,"item":{"id":"fc_%d","type":"function_call","call_id":%s,"name":%s,`+
					`"arguments":%s,"status":"completed"}`, i, i, JSON(s.ID), s.name(), JSON(s.Text))
		}
	}
	usage := fmt.Sprintf(`"usage":{"input_tokens":%d,"input_tokens_details":{"cached_tokens":%d,`+
		`"cache_write_tokens":%d},"output_tokens":%d,"output_tokens_details":{"reasoning_tokens":%d},`+
		`"total_tokens":%d}`,
		u.Prompt(), u.Read, u.Written, u.Output, u.Reasoning, u.Prompt()+u.Output)
	switch stop {
	case "max_tokens":
		add("response.incomplete",
			`"response":{"id":"resp_1","object":"response","status":"incomplete",`+
				`"incomplete_details":{"reason":"max_output_tokens"},%s}`, usage)
	case "refusal":
		add("response.incomplete",
			`"response":{"id":"resp_1","object":"response","status":"incomplete",`+
				`"incomplete_details":{"reason":"content_filter"},%s}`, usage)
	default:
		add("response.completed",
			`"response":{"id":"resp_1","object":"response","status":"completed",%s}`, usage)
	}
	return ev
}

// ollamaEvents returns an answer of Ollama's API.
func (u Usage) ollamaEvents(stop string, says []Say) (ev []string) {
	add := func(msg, rest string) {
		ev = append(ev, `{"model":"fake","created_at":"2026-01-01T00:00:00Z",`+
			`"message":{"role":"assistant",`+msg+`}`+rest+"}\n")
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
			add(`"content":"","tool_calls":[{"function":{"name":`+s.name()+`,"arguments":`+s.Text+`}}]`,
				`,"done":false`)
		}
	}
	why := map[string]string{"max_tokens": "length"}[stop]
	if why == "" {
		why = "stop"
	}
	add(`"content":""`, fmt.Sprintf(`,"done":true,"done_reason":%s,"prompt_eval_count":%d,`+
		`"eval_count":%d`,
		JSON(why), u.Prompt(), u.Output))
	return ev
}

// Done returns a whole answer of an API, "Done.".
func Done(api string) Reply {
	return Reply{Pieces: Stream(api, "end_turn", Say{Kind: "text", Text: "Done."})}
}

// APIError returns an error in the form of the Messages API. header has names and values
// by turns.
func APIError(status int, typ, msg string, header ...string) Reply {
	r := Reply{Status: status,
		Pieces: []string{fmt.Sprintf(`{"type":"error","error":{"type":%q,"message":%q}}`, typ, msg)},
		Header: map[string]string{}}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header[header[i]] = header[i+1]
	}
	return r
}
