// Package failure describes why a model gave no complete answer: the exit status, whether
// trying again makes sense, and how long to wait first.
package failure

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"ua/cmd/ua-think/internal/usage"
	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// Stage is the name of this program in error events.
const Stage = "ua-think"

// A Failure is the reason why a request got no complete answer. The zero values of its
// fields mean: no hint, not worth another try.
type Failure struct {
	Msg    string
	Hint   string
	Status int           // the exit status that it stands for (package prog)
	Retry  bool          // trying again makes sense
	Wait   time.Duration // how long the provider asks to wait, 0 when it does not say
	BadKey bool          // the provider does not take the key
	Cut    bool          // the answer ended too early
	Silent bool          // the answer is complete, and says nothing
	Usage  usage.Usage   // of the request, which no response tells
}

// Error returns the message without the hint.
func (f *Failure) Error() string { return f.Msg }

// Event returns the failure as an error event (ua-events(5)).
func (f *Failure) Event() []byte {
	msg := f.Msg
	if f.Hint != "" {
		msg += " (" + f.Hint + ")"
	}
	e := event.New("error").Str("stage", Stage).Str("message", msg).
		Bool("retryable", f.Retry).Int("status", int64(f.Status))
	if f.Wait > 0 {
		e.Int("retry_after_ms", f.Wait.Milliseconds())
		e.Str("retry_at", time.Now().Add(f.Wait).UTC().Format(time.RFC3339))
	}
	if f.Usage.Tokens() > 0 {
		e.Raw("usage", f.Usage.JSON())
	}
	return e.Line()
}

// Exit returns the failure as the error that ends the program with its status.
func (f *Failure) Exit() error {
	e := prog.Errorf(f.Status, "%s", f.Msg)
	e.Hint = f.Hint
	return e
}

// From returns err as a Failure. An error of an unknown kind is taken to pass with time.
func From(err error) *Failure {
	var f *Failure
	if errors.As(err, &f) {
		return f
	}
	var e *prog.Error
	if errors.As(err, &e) {
		return &Failure{Msg: e.Error(), Hint: e.Hint, Status: e.Status}
	}
	return &Failure{Msg: err.Error(), Status: prog.TryLater, Retry: true}
}

// CutOff returns the failure of a stream that ended before the answer was complete.
func CutOff(err error) *Failure {
	return &Failure{
		Msg:    "the model's answer was cut off: " + err.Error(),
		Status: prog.TryLater, Retry: true, Cut: true,
	}
}

// Interrupted returns the failure of a request that a signal ended. status is 128 plus
// the number of the signal.
func Interrupted(status int) *Failure {
	return &Failure{Msg: "interrupted", Status: status}
}

// Refused returns the failure of an answer that the model declined to give.
func Refused(why string) *Failure {
	return &Failure{
		Msg:    "the model refused to answer: " + why,
		Hint:   "reword the task, or use another model",
		Status: prog.No,
	}
}

// Bug returns the failure of a request that could not be encoded.
func Bug(err error) *Failure {
	return &Failure{Msg: "can't encode the request: " + err.Error(), Status: prog.Trouble}
}

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
