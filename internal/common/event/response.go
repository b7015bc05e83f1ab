package event

import (
	"strings"

	"github.com/tidwall/gjson"
)

// ResponseText returns the text of a response event, its text blocks one behind the
// other, and whether the response is final: one that calls no tool.
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
