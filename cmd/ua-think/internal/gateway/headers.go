package gateway

import (
	"net/http"
	"strings"
)

// hide takes the key out of words that come from outside.
func (g *Gateway) hide(text string) string {
	if len(g.Model.Key) < 8 {
		return text
	}
	return strings.ReplaceAll(text, g.Model.Key, "[key]")
}

// copyHeaders copies what a client needs of the provider's headers. The rest may
// tell of the account.
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
