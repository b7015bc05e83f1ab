package failure

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"ua/internal/common/prog"
)

// HTTP returns the failure for a response without an answer. who is the provider and body
// the beginning of the response's body.
func HTTP(who string, resp *http.Response, body []byte) *Failure {
	f := API(who, resp.StatusCode, Kind(body), Text(body))
	// X-Should-Retry is the provider's own decision, which their SDKs follow too.
	switch resp.Header.Get("X-Should-Retry") {
	case "true":
		f.Retry, f.Status = true, prog.TryLater
	case "false":
		f.Retry = false
	}
	if f.Retry {
		f.Wait = retryAfter(resp.Header, time.Now())
	}
	if at := resp.Header.Get("Location"); at != "" && resp.StatusCode < 400 {
		f.Msg = fmt.Sprintf("%s: the server redirects to %q, where no key is sent", who, at)
		f.Hint = "set the base URL to that address if it is right"
	}
	if id := firstHeader(resp.Header, "request-id", "x-request-id"); id != "" {
		f.Msg += ", request " + id
	}
	return f
}

// firstHeader returns the first of these headers that is set and not absurdly long.
func firstHeader(h http.Header, names ...string) string {
	for _, n := range names {
		if v := h.Get(n); v != "" && len(v) < 100 {
			return v
		}
	}
	return ""
}

// words returns text of a server on one line, so that it cannot pass for a line of ours.
func words(text string, limit int) string {
	text = strings.Join(strings.Fields(text), " ")
	return strings.ToValidUTF8(text[:min(len(text), limit)], "\ufffd")
}
