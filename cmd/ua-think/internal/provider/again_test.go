package provider

import (
	"fmt"
	"strings"
	"testing"

	"ua/cmd/ua-think/internal/answer"
	"ua/internal/test/modeltest"
)

// TestToldAgain: what a server tells once more, in another form or as a whole, is said once,
// and what only the whole tells is not lost.
func TestToldAgain(t *testing.T) {
	data := func(text string) string { return "data: " + text + "\n\n" }
	calls := func(delta string) string { return data(`{"choices":[{"delta":` + delta + `}]}`) }
	message := func(m string) string {
		return data(`{"choices":[{"message":` + m + `,"finish_reason":"stop"}]}`)
	}
	a, b := modeltest.JSON(`{"n":1}`), modeltest.JSON(`{"n":2}`)
	tool := func(marks, args string) string {
		return `{` + marks + `"function":{"name":"shell","arguments":` + args + `}}`
	}
	list := func(calls ...string) string {
		return `{"tool_calls":[` + strings.Join(calls, ",") + `]}`
	}
	older := `"function_call":{"name":"shell","arguments":` + a + `}`
	end := calls(`{}`) + message(`null`)
	item := func(marks, args string) string {
		return `{` + marks + `"type":"function_call","name":"shell","arguments":` + args + `}`
	}
	done := func(marks, item string) string {
		return data(`{"type":"response.output_item.done",` + marks + `"item":` + item + `}`)
	}
	whole := func(items ...string) string {
		return data(`{"type":"response.completed","response":{"status":"completed","output":[` +
			strings.Join(items, ",") + `]}}`)
	}
	text := func(id, s string) string {
		return `{` + id + `"type":"message","content":[{"type":"output_text","text":"` + s + `"}]}`
	}
	args := `"type":"response.function_call_arguments.`
	block := func(i int, args string) string {
		return data(fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":`+
			`{"type":"tool_use","id":"x","name":"shell","input":{}}}`, i)) +
			data(fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":`+
				`{"type":"input_json_delta","partial_json":%s}}`, i, args)) +
			data(fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, i))
	}
	stop := data(`{"type":"message_delta","delta":{"stop_reason":"tool_use"}}`)
	one, two := "shell1", "shell1shell2"
	for name, c := range map[string]struct{ spec, in, want string }{
		"the older form beside": {"openai-chat", calls(strings.TrimSuffix(
			list(tool(`"index":0,"id":"x",`, a)), "}")+","+older+"}") + end, one},
		"the older form before": {"openai-chat", calls("{"+older+","+list(tool(`"index":0,`, a))[1:]) +
			end, one},
		"the older form alone": {"openai-chat", calls("{"+older+"}") + end, one},
		"a message, other ids": {"openai-chat", calls(list(tool(`"index":0,"id":"x",`, a))) +
			message(list(tool(`"id":"y",`, a))), one},
		"a message, other places": {"openai-chat", calls(list(tool(`"index":1,`, a))) +
			message(list(tool("", a), tool("", b))), two},
		"a message, in other spaces": {"openai-chat", calls(list(tool(`"index":0,`, a))) +
			message(list(tool("", `"{ \"n\" : 1 }"`))), one},
		"two equal calls in a message": {"openai-chat", message(list(tool("", a), tool("", a))),
			"shell1shell1"},
		"a list in a message": {"openai-chat", calls(`{"content":"Hel"}`) +
			message(`{"content":[{"type":"text","text":"Hello"}]}`), "<text:Hello>"},
		"text on both sides of a call": {"openai-chat", calls(`{"content":"a"}`) +
			calls(list(tool(`"index":0,"id":"x",`, a))) + calls(`{"content":"b"}`) +
			message(`{"content":"ab"}`), "<text:a><text:b>" + one},
		"thinking in a message": {"openai-chat", calls(`{"reasoning_content":"hm"}`) +
			calls(`{"content":"Hello"}`) + message(`{"reasoning_content":"hm","content":"Hello"}`),
			"<thinking:hm><text:Hello>"},
		"null, and then an input": {"openai-chat", calls(list(tool(`"index":0,`, `"null"`))) +
			calls(list(`{"index":0,"function":{"arguments":`+a+`}}`)) + end, one},
		"an empty text, and then an input": {"openai-chat", calls(list(tool(`"index":0,`, `"\"\""`))) +
			calls(list(`{"index":0,"function":{"arguments":`+a+`}}`)) + end, one},
		"a block again": {"anthropic", block(0, a) + block(1, a) + stop, one},
		"a text and a call in one place": {"anthropic", data(`{"type":"content_block_start","index":0,`+
			`"content_block":{"type":"text","text":"Hi"}}`) + block(0, a) + stop, "<text:Hi>" + one},
		"a text and a call's item in one place": {"openai", done(`"output_index":0,`, text("", "Hi")) +
			done(`"output_index":0,`, item("", a)) + whole(), "<text:Hi>" + one},
		"another input under one id": {"anthropic", block(0, a) + block(1, b) + stop, two},
		"an input for a call that has left": {"ollama", `{"message":` + list(tool(`"id":"x",`, "null")) +
			"}\n" + `{"message":` + list(tool(`"id":"x",`, `{"n":1}`)) + `,"done":true}`,
			"shellmap[" + one},
		"an item with other ids, in another place": {"openai", done(`"output_index":3,`,
			item(`"id":"f",`, a)) + whole(item(`"id":"g",`, a), item(`"id":"h",`, b)), two},
		"a text in the place of a call": {"openai", done(`"output_index":0,`, item(`"id":"f",`, a)) +
			whole(text(`"id":"m",`, "Hi"), item(`"id":"f",`, a)), "<text:Hi>" + one},
		"sealed thinking with another id": {"openai", done(`"output_index":0,`,
			`{"type":"reasoning","id":"r"}`) + whole(`{"type":"reasoning","id":"s"}`, text("", "Hi")),
			"<text:Hi><sealed>"},
		"two texts, the second at the end": {"openai", done("", text(`"id":"m",`, "one")) +
			whole(text(`"id":"x",`, "one"), text(`"id":"y",`, "two")), "<text:one><text:two>"},
		"two texts without marks": {"openai", done("", text("", "one")) + done("", text("", "two")) +
			whole(), "<text:one><text:two>"},
		"a part of a text alone": {"openai", data(`{"type":"response.content_part.done",`+
			`"output_index":0,"part":{"type":"output_text","text":"Hi"}}`) + whole(), "<text:Hi>"},
		"an input that is an object": {"openai", done("", item("", `{"n":1}`)) + whole(), one},
		"an input that names its call": {"openai", data(`{`+args+`done","item_id":"f","name":"shell",`+
			`"arguments":`+a+`}`) + whole(), one},
		"an input that nothing names": {"openai", data(`{`+args+`delta","item_id":"f","delta":`+a+
			`}`) + whole(), "!the input of this call is not a JSON object (it names no tool), " +
			`so it was not run: {"n":1}`},
	} {
		h := hear(t, c.spec+"/m", c.in)
		got := h.said
		for _, call := range h.calls {
			got += strings.NewReplacer("map[n:", "", "]", "").Replace(call)
		}
		for _, b := range h.a.Blocks {
			if b.Kind == answer.Whole {
				got += "<sealed>"
			}
		}
		if h.err != nil || got != c.want {
			t.Errorf("%s: %v %s, want %s", name, h.err, got, c.want)
		}
	}
}
