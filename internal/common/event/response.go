package event

import (
	"strings"

	"github.com/tidwall/gjson"
)

// ResponseText returns the text blocks of a response event, joined, and whether the
// response is final: one that calls no tool.
func ResponseText(response []byte) (text string, final bool) {
	var b strings.Builder
	final = true
	gjson.GetBytes(response, "content").ForEach(func(_, block gjson.Result) bool {
		switch block.Get("type").Str {
		case "text":
			b.WriteString(block.Get("text").Str)
		case "tool_use":
			final = false
		}
		return true
	})
	return b.String(), final
}

// Calls reports whether a response calls for commands.
func Calls(response []byte) bool {
	return gjson.GetBytes(response, `content.#(type=="tool_use").id`).Exists()
}

// FromPipe reports whether events of the type come from the stages of a run.
func FromPipe(typ string) bool {
	switch typ {
	case "delta", "tool_call", "verdict", "tool_result", "response", "error":
		return true
	}
	return false
}
