package gateway

import (
	"net/http"
	"strings"
)

// hide removes the key from text that comes from outside. A key of fewer than 8 bytes, as
// for servers that want none, is too likely to be an ordinary word.
func (g *Gateway) hide(text string) string {
	if len(g.Model.Key) < 8 {
		return text
	}
	return strings.ReplaceAll(text, g.Model.Key, "[key]")
}

// copyHeaders copies the provider's headers that a client needs. Others may say something
// about the account.
func copyHeaders(to, from http.Header) {
	for name, values := range from {
		low := strings.ToLower(name)
		switch {
		case low == "content-type", low == "request-id", low == "x-request-id",
			low == "retry-after", low == "retry-after-ms", low == "x-should-retry",
			strings.Contains(low, "ratelimit"):
			to[name] = values
		}
	}
}
