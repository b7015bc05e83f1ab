package failure

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/prog"
)

// TestHTTP: the headers of a response say more than its status.
func TestHTTP(t *testing.T) {
	for name, c := range map[string]struct {
		status  int
		headers string
		body    string
		msg     string
		exit    int
		retry   bool
		wait    time.Duration
		hint    string
	}{
		"a word": {500, "", `{"error":{"message":"oops"}}`, "them: HTTP 500: oops",
			prog.TryLater, true, 0, ""},
		"a page": {500, "", "<html>\n oops", "them: HTTP 500: <html> oops",
			prog.TryLater, true, 0, ""},
		"nothing": {500, "", "", "them: HTTP 500", prog.TryLater, true, 0, ""},
		"a wait": {429, "Retry-After: 20", "", "them: HTTP 429", prog.TryLater, true,
			20 * time.Second, "rate"},
		"no wait where no try helps": {401, "Retry-After: 20", "", "them: HTTP 401", prog.Trouble, false,
			0, "key"},
		"their own no": {500, "X-Should-Retry: false", "", "them: HTTP 500", prog.TryLater,
			false, 0, ""},
		"their own yes": {400, "X-Should-Retry: true\nRetry-After: 1", "", "them: HTTP 400",
			prog.TryLater, true, time.Second, ""},
		"a request": {500, "Request-Id: r1", "", "them: HTTP 500, request r1",
			prog.TryLater, true, 0, ""},
		"OpenAI's word": {500, "X-Request-Id: r2", "", "them: HTTP 500, request r2",
			prog.TryLater, true, 0, ""},
		"a long ID": {500, "Request-Id: " + strings.Repeat("r", 100), "",
			"them: HTTP 500", prog.TryLater, true, 0, ""},
		"elsewhere": {307, "Location: http://evil\x01", "",
			`them: the server redirects to "http://evil\x01", where no key is sent`, prog.Trouble, false, 0,
			"base URL"},
		"too busy": {503, "Retry-After: 2", "", "them: HTTP 503", prog.TryLater, true,
			2 * time.Second, ""},
	} {
		resp := &http.Response{StatusCode: c.status, Header: http.Header{}}
		for line := range strings.Lines(c.headers) {
			name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
			resp.Header.Set(name, value)
		}
		f := HTTP("them", resp, []byte(c.body))
		if f.Msg != c.msg || f.Status != c.exit || f.Retry != c.retry || f.Wait != c.wait ||
			!strings.Contains(f.Hint, c.hint) {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// TestFrom: any error is a failure, of which an unknown one may pass.
func TestFrom(t *testing.T) {
	own := &Failure{Msg: "own", Status: prog.No}
	for name, c := range map[string]struct {
		err    error
		msg    string
		status int
		retry  bool
	}{
		"one":              {own, "own", prog.No, false},
		"one in another":   {errors.Join(io.EOF, own), "own", prog.No, false},
		"of the program":   {prog.Errorf(prog.Limit, "late"), "late", prog.Limit, false},
		"of anybody":       {io.EOF, "EOF", prog.TryLater, true},
		"a cut":            {CutOff(io.EOF), "the model's answer was cut off: EOF", prog.TryLater, true},
		"an interrupt":     {Interrupted(143), "interrupted", 143, false},
		"a refusal":        {Refused("no"), "the model refused to answer: no", prog.No, false},
		"what is not sent": {Bug(io.EOF), "can't encode the request: EOF", prog.Trouble, false},
	} {
		f := From(c.err)
		if f.Msg != c.msg || f.Error() != c.msg || f.Status != c.status || f.Retry != c.retry {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// TestEvent writes a failure down for who drives this program.
func TestEvent(t *testing.T) {
	f := &Failure{Msg: "a\nb", Hint: "do c", Status: 75, Retry: true, Wait: 1500 * time.Millisecond}
	ev := gjson.ParseBytes(f.Event())
	at, err := time.Parse(time.RFC3339, ev.Get("retry_at").Str)
	if ev.Get("type").Str != "error" || ev.Get("stage").Str != Stage ||
		ev.Get("message").Str != "a\nb (do c)" ||
		!ev.Get("retryable").Bool() || ev.Get("status").Int() != 75 ||
		ev.Get("retry_after_ms").Int() != 1500 ||
		err != nil || at.Before(time.Now().Add(-time.Minute)) {
		t.Errorf("%s", ev.Raw)
	}
	ev = gjson.ParseBytes((&Failure{Msg: "a", Status: 2}).Event())
	if ev.Get("message").Str != "a" || ev.Get("retryable").Bool() || ev.Get("retry_at").Exists() {
		t.Errorf("%s", ev.Raw)
	}
	var e *prog.Error
	if err := f.Exit(); !errors.As(err, &e) || e.Status != 75 || e.Hint != "do c" ||
		err.Error() != "a\nb" {
		t.Errorf("%+v", err)
	}
}
