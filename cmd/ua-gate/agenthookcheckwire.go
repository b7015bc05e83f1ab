package main

import "strings"

// sse returns server-sent events (HTML Living Standard, section 9.2). If named, each
// event has the name of its type.
func sse(named bool, data ...string) (kind, text string) {
	var b strings.Builder
	for _, d := range data {
		if _, typ, ok := strings.Cut(d, `{"type":"`); named && ok && strings.HasPrefix(d, `{"type":"`) {
			typ, _, _ = strings.Cut(typ, `"`)
			b.WriteString("event: " + typ + "\n")
		}
		b.WriteString("data: " + d + "\n\n")
	}
	return "text/event-stream", b.String()
}

// trialMessages returns an answer of Anthropic's Messages API
// (docs.anthropic.com/en/api/messages-streaming); tool is "" for a word.
func trialMessages(tool, args string) (kind, text string) {
	block, delta, stop := `{"type":"text","text":""}`, `{"type":"text_delta","text":"done"}`,
		"end_turn"
	if tool != "" {
		block = `{"type":"tool_use","id":"` + trialCall + `","name":"` + tool + `","input":{}}`
		delta = `{"type":"input_json_delta","partial_json":` + quoted(args) + `}`
		stop = "tool_use"
	}
	return sse(true,
		`{"type":"message_start","message":{"id":"msg_trial","type":"message","role":"assistant",`+
			`"model":"trial","content":[],`+
			`"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":`+block+`}`,
		`{"type":"content_block_delta","index":0,"delta":`+delta+`}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"message_delta","delta":{"stop_reason":"`+stop+
			`","stop_sequence":null},"usage":{"output_tokens":1}}`,
		`{"type":"message_stop"}`)
}

// trialResponses returns an answer of OpenAI's Responses API
// (platform.openai.com/docs/api-reference/responses-streaming).
func trialResponses(tool, args string) (kind, text string) {
	item := `{"type":"message","id":"msg_trial","role":"assistant",` +
		`"content":[{"type":"output_text","text":"done","annotations":[]}]}`
	if tool != "" {
		item = `{"type":"function_call","id":"fc_trial","call_id":"` + trialCall + `","name":"` + tool +
			`","arguments":` + quoted(args) + `}`
	}
	const usage = `"usage":{"input_tokens":1,"input_tokens_details":{"cached_tokens":0},` +
		`"output_tokens":1,` +
		`"output_tokens_details":{"reasoning_tokens":0},"total_tokens":2}`
	return sse(true,
		`{"type":"response.created","response":{"id":"resp_trial"}}`,
		`{"type":"response.output_item.done","output_index":0,"item":`+item+`}`,
		`{"type":"response.completed","response":{"id":"resp_trial","output":[`+item+`],`+usage+`}}`)
}

// trialChat returns an answer of OpenAI's Chat Completions API
// (platform.openai.com/docs/api-reference/chat-streaming).
func trialChat(tool, args string) (kind, text string) {
	delta, stop := `{"role":"assistant","content":"done"}`, "stop"
	if tool != "" {
		delta = `{"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"` + trialCall +
			`","type":"function",` +
			`"function":{"name":"` + tool + `","arguments":` + quoted(args) + `}}]}`
		stop = "tool_calls"
	}
	chunk := func(delta, stop string) string {
		return `{"id":"chatcmpl-trial","object":"chat.completion.chunk","created":1,"model":"trial",` +
			`"choices":[{"index":0,"delta":` + delta + `,"finish_reason":` + stop + `}]}`
	}
	return sse(false, chunk(delta, "null"), chunk("{}", quoted(stop)), "[DONE]")
}

// trialGenerate returns an answer of Gemini's generateContent
// (ai.google.dev/api/generate-content), streamed or whole.
func trialGenerate(tool, args string, stream bool) (kind, text string) {
	part := `{"text":"done"}`
	if tool != "" {
		part = `{"functionCall":{"id":"` + trialCall + `","name":"` + tool + `","args":` + args + `}}`
	}
	answer := `{"candidates":[{"content":{"role":"model","parts":[` + part +
		`]},"finishReason":"STOP","index":0}],` +
		`"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1,"totalTokenCount":2},` +
		`"modelVersion":"trial"}`
	if stream {
		return sse(false, answer)
	}
	return "application/json", answer
}
