package failure

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/prog"
)

// RefusedHeader is the header by which `ua-think serve` says for what reason it
// refused a request: "budget", "depth", "busy" or another word.
const RefusedHeader = "Ua-Refused"

// HTTP returns what a response that is no answer means. who names the provider,
// body is the start of the response's body.
func HTTP(who string, resp *http.Response, body []byte) *Failure {
	f := API(who, resp.StatusCode, Kind(body), Text(body))
	// The providers' own word on it, which their SDKs follow too.
	switch resp.Header.Get("X-Should-Retry") {
	case "true":
		f.Retry, f.Status = true, prog.TryLater
	case "false":
		f.Retry = false
	}
	switch resp.Header.Get(RefusedHeader) {
	case "":
	case "budget":
		f.Retry, f.Status = false, prog.Limit
		f.Hint = "the budget is that of the run that started this one"
	case "depth":
		f.Retry, f.Status, f.Hint = false, prog.No, "do the task here"
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

func firstHeader(h http.Header, names ...string) string {
	for _, n := range names {
		if v := h.Get(n); v != "" && len(v) < 100 {
			return v
		}
	}
	return ""
}

// Text returns the message in an error's body, whatever the API.
func Text(body []byte) string {
	for _, path := range []string{
		"error.message", "0.error.message", "response.error.message", "message", "detail", "error",
	} {
		if v := gjson.GetBytes(body, path); v.Type == gjson.String && v.Str != "" {
			return words(v.Str, 2000)
		}
	}
	return words(string(body), 300)
}

// words returns a server's text on one line, which can't pass for a line of ours.
func words(text string, limit int) string {
	text = strings.Join(strings.Fields(text), " ")
	return strings.ToValidUTF8(text[:min(len(text), limit)], "\ufffd")
}

// Kind returns the kinds of the error in an error's body, words of the API
// with blanks between.
func Kind(body []byte) string {
	var words []string
	for _, path := range []string{
		"error.type", "error.code", "error.status", "response.error.code", "code",
	} {
		if v := gjson.GetBytes(body, path); v.Type == gjson.String {
			words = append(words, v.Str)
		}
	}
	return strings.Join(words, " ")
}
