package main

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// stage is how error events name this program.
const stage = "ua-think"

// A failure is why a request got no whole answer.
type failure struct {
	msg    string
	hint   string
	status int           // the exit status that it stands for
	retry  bool          // trying again makes sense
	wait   time.Duration // how long the provider asks to wait, 0 when it does not say
}

func (f *failure) Error() string { return f.msg }

// event is the failure as an error event.
func (f *failure) event() []byte {
	msg := f.msg
	if f.hint != "" {
		msg += " (" + f.hint + ")"
	}
	e := event.New("error").Str("stage", stage).Str("message", msg).Bool("retryable", f.retry).Int("status", int64(f.status))
	if f.wait > 0 {
		e.Int("retry_after_ms", f.wait.Milliseconds())
		e.Str("retry_at", time.Now().Add(f.wait).UTC().Format(time.RFC3339))
	}
	return e.Line()
}

// exit is the failure as the program's error.
func (f *failure) exit() error {
	e := prog.Errorf(f.status, "%s", f.msg)
	e.Hint = f.hint
	return e
}

// asFailure is err as a failure; one that knows nothing may pass.
func asFailure(err error) *failure {
	var f *failure
	if errors.As(err, &f) {
		return f
	}
	var e *prog.Error
	if errors.As(err, &e) {
		return &failure{msg: e.Error(), hint: e.Hint, status: e.Status}
	}
	return &failure{msg: err.Error(), status: prog.TryLater, retry: true}
}

// cut is the failure of a stream that ended before the model had.
func cut(err error) *failure {
	return &failure{msg: "the model's answer was cut off: " + err.Error(), status: prog.TryLater, retry: true}
}

// httpFailure is what a response that is no answer means. body is the start of
// its body.
func httpFailure(who string, resp *http.Response, body []byte) *failure {
	f := apiFailure(who, resp.StatusCode, errorType(body), errorText(body))
	// The providers' own word on it, which their SDKs follow too.
	switch resp.Header.Get("X-Should-Retry") {
	case "true":
		f.retry, f.status = true, prog.TryLater
	case "false":
		f.retry = false
	}
	if f.retry {
		f.wait = retryAfter(resp.Header, time.Now())
	}
	if f.msg == "" {
		f.msg = who + ": HTTP " + resp.Status
	}
	if at := resp.Header.Get("Location"); at != "" && resp.StatusCode < 400 {
		f.msg = fmt.Sprintf("%s: the server redirects to %q, where no key is sent", who, at)
		f.hint = "set the base URL to that address if it is right"
	}
	if id := firstHeader(resp.Header, "request-id", "x-request-id"); id != "" {
		f.msg += ", request " + id
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

// errorText is the message in an error's body, whatever the API.
func errorText(body []byte) string {
	for _, path := range []string{"error.message", "0.error.message", "response.error.message", "message", "detail", "error"} {
		if v := gjson.GetBytes(body, path); v.Type == gjson.String && v.Str != "" {
			return words(v.Str, 2000)
		}
	}
	return words(string(body), 300)
}

// words is a server's text on one line, which can't pass for a line of ours.
func words(text string, limit int) string {
	text = strings.Join(strings.Fields(text), " ")
	return strings.ToValidUTF8(text[:min(len(text), limit)], "\ufffd")
}

// errorType is the kind of the error in an error's body: a word of the API.
func errorType(body []byte) string {
	var words []string
	for _, path := range []string{"error.type", "error.code", "error.status", "response.error.code", "code"} {
		if v := gjson.GetBytes(body, path); v.Type == gjson.String {
			words = append(words, v.Str)
		}
	}
	return strings.Join(words, " ")
}

// apiFailure judges an error by its HTTP status (0 inside a stream), the API's
// own type of it and its message.
func apiFailure(who string, status int, kind, text string) *failure {
	f := &failure{status: prog.Trouble, msg: who}
	if status > 0 {
		f.msg += ": HTTP " + strconv.Itoa(status)
	}
	if text != "" {
		f.msg += ": " + text
	}
	is := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(kind, w) {
				return true
			}
		}
		return false
	}
	low := strings.ToLower(text)
	switch {
	case is("context_length_exceeded") || strings.Contains(low, "prompt is too long") || strings.Contains(low, "context length") || strings.Contains(low, "context window") || status == 413:
		f.status, f.hint = prog.No, "the conversation is too long for the model: read it with a budget (ua-journal read --budget), or take a model with a larger context"
	case is("insufficient_quota", "billing"):
		f.hint = "the account has no credit left"
	case status == 401 || is("authentication_error", "invalid_api_key"):
		f.hint = "the provider does not take this key: " + holder(who)
	case status == 403 || is("permission_error"):
		f.hint = "the key may not use this model"
	case status == 404 || is("not_found", "model_not_found"):
		f.hint = "check the model's name (ua-think models) and the base URL"
	case status == 429 || is("rate_limit", "too_many_requests"):
		f.status, f.retry, f.hint = prog.TryLater, true, "the provider limits the rate of requests"
	case status == 408 || status == 409 || status >= 500 || is("overloaded", "server_error", "api_error", "timeout", "unavailable"):
		f.status, f.retry = prog.TryLater, true
	case status == 400 || status == 422 || is("invalid_request"):
		f.hint = "the provider refuses the request's form; --dry-run shows it"
	case status == 0:
		f.status, f.retry = prog.TryLater, true
	}
	return f
}

// holder says where a provider's key is to be looked at.
func holder(provider string) string {
	if a, ok := apis(provider); ok {
		return "check " + a.keyEnv + ", or api_key_cmd in the config"
	}
	return "check the variable that holds it"
}

// retryAfter is how long a response asks to wait: retry-after-ms, or Retry-After
// in seconds or as a date (RFC 9110 §10.2.3); 0 when it says nothing.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("retry-after-ms"), 64); err == nil && ms >= 0 {
		return clampWait(ms / 1e3)
	}
	v := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(v, 64); err == nil && s >= 0 {
		return clampWait(s)
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

// clampWait is a wait in seconds, at most a year, at least a millisecond: a wait
// of 0 is an answer too.
func clampWait(s float64) time.Duration {
	return max(time.Duration(min(s, 365*86400)*float64(time.Second)), time.Millisecond)
}
