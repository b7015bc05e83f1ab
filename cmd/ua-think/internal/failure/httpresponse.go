package failure

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
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
	id := cmp.Or(resp.Header.Get("Request-Id"), resp.Header.Get("X-Request-Id"))
	if id != "" && len(id) < 100 { // not absurdly long
		f.Msg += ", request " + id
	}
	return f
}

// words returns text of a server on one line, so that it cannot pass for a line of ours.
func words(text string, limit int) string {
	text = strings.Join(strings.Fields(text), " ")
	return strings.ToValidUTF8(text[:min(len(text), limit)], "\ufffd")
}

// retryAfter returns how long a response asks to wait: retry-after-ms, or Retry-After in
// seconds or as a date (RFC 9110 section 10.2.3). It is 0 if the response does not say.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("retry-after-ms"), 64); err == nil && ms >= 0 {
		return seconds(ms / 1e3)
	}
	v := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(v, 64); err == nil && s >= 0 {
		return seconds(s)
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

// seconds returns a wait of s seconds, at most a year and at least a millisecond. 0 would
// mean that the server has said nothing.
func seconds(s float64) time.Duration {
	return max(time.Duration(min(s, 365*86400)*float64(time.Second)), time.Millisecond)
}
