package event

import (
	"strings"

	"github.com/tidwall/gjson"
)

// Text is the text blocks of a response event, one after the other.
func Text(response []byte) string {
	var b strings.Builder
	gjson.GetBytes(response, "content").ForEach(func(_, block gjson.Result) bool {
		if block.Get("type").Str == "text" {
			b.WriteString(block.Get("text").Str)
		}
		return true
	})
	return b.String()
}
