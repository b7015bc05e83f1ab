package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/failure"
	"ua/cmd/ua-think/internal/provider"
	"ua/cmd/ua-think/internal/settings"
	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/test/modeltest"
)

// patience is for what must not happen.
func patience() Limits {
	return Limits{Connect: time.Minute, First: time.Minute, Idle: time.Minute, Total: time.Minute}
}

// asked asks a server and returns the text of its answer.
func asked(ctx context.Context, t *testing.T, c *Client, base string) (string, error) {
	t.Helper()
	m, err := provider.Connect("anthropic", "m", &settings.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	m.Base, m.Key = base, "sk-of-the-user-1"
	box := event.NewOutbox(io.Discard)
	defer box.Close(0)
	a := &answer.Answer{Out: box, Limits: answer.Limits{Event: 1 << 20, Text: 1 << 20},
		IDs: map[string]bool{}}
	err = c.Ask(ctx, m, provider.Body(`{"model":"m"}`), a)
	text := ""
	for _, b := range a.Blocks {
		text += b.Plain()
	}
	return text, err
}

// stream writes an answer of some texts.
func stream(w io.Writer, texts ...string) {
	var says []modeltest.Say
	for _, text := range texts {
		says = append(says, modeltest.Say{Kind: "text", Text: text})
	}
	for _, piece := range modeltest.Stream("anthropic", "end_turn", says...) {
		io.WriteString(w, piece)
	}
}

// serve starts a server that ends with the test, and says where it is.
func serve(t *testing.T, handler http.HandlerFunc) string {
	s := httptest.NewServer(handler)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

// TestAsk sends a request whole, with the key in its header, and reads the answer.
func TestAsk(t *testing.T) {
	conns := map[string]bool{}
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		conns[r.RemoteAddr] = true
		body, _ := io.ReadAll(r.Body)
		h := r.Header
		if r.URL.Path != "/v1/messages" || string(body) != `{"model":"m"}` ||
			h.Get("X-Api-Key") != "sk-of-the-user-1" ||
			h.Get("Content-Type") != "application/json" || !strings.HasPrefix(h.Get("User-Agent"),
			"ua-think/") ||
			h.Get("Anthropic-Version") == "" || r.ContentLength != int64(len(body)) {
			t.Errorf("%s %s\n%v", r.URL.Path, body, h)
		}
		stream(w, "one", "two")
	})
	c := New(patience())
	for range 3 {
		if text, err := asked(t.Context(), t, c, base); text != "onetwo" || err != nil {
			t.Errorf("%q, %v", text, err)
		}
		<-c.drained // or the next request may not wait for the connection
	}
	if len(conns) != 1 {
		t.Errorf("%d connections", len(conns))
	}
}

// TestNoAnswer tells what came in place of an answer.
func TestNoAnswer(t *testing.T) {
	elsewhere := serve(t, func(http.ResponseWriter,
		*http.Request) {
		t.Error("a redirect was followed")
	})
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		msg    string
		retry  bool
		hint   string
	}{
		"a refusal": {func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(401)
			fmt.Fprintf(w, `{"error":{"message":"no user %s"}}`, r.Header.Get("X-Api-Key"))
		}, "anthropic: HTTP 401: no user [key]", false, "check ANTHROPIC_API_KEY"},
		"a redirect": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere, http.StatusTemporaryRedirect)
		}, "redirects to", false, "set the base URL"},
		"a page": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<html>Log in</html>")
		}, "<html>Log in</html> (no stream but text/html)", false, "check the base URL"},
		"an error with status 200": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"error":{"type":"overloaded_error","message":"busy"}}`)
		}, "anthropic: busy", true, ""},
		"JSON of something else": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"version":"1.0"}`)
		}, `{"version":"1.0"} (no stream but application/json)`, false, "check the base URL"},
		"broken JSON": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"error":`)
		}, "no stream", true, "was cut off"},
		"half an answer": {func(w http.ResponseWriter, _ *http.Request) {
			said := modeltest.Say{Kind: "text", Text: "a"}
			io.WriteString(w, modeltest.Stream("anthropic", "end_turn", said)[0])
		}, "cut off", true, ""},
		"nothing": {func(http.ResponseWriter, *http.Request) {
			panic(http.ErrAbortHandler)
		}, "closed the connection without an answer", true, ""},
		"a long error": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(500)
			for range 200 {
				io.WriteString(w, strings.Repeat("x", 1<<10))
			}
		}, "HTTP 500: xxx", true, ""},
	} {
		_, err := asked(t.Context(), t, New(patience()), serve(t, c.answer))
		f := failure.From(err)
		if err == nil || !strings.Contains(f.Msg, c.msg) || f.Retry != c.retry ||
			!strings.Contains(f.Hint, c.hint) ||
			len(f.Msg) > 3000 {
			t.Errorf("%s: %.300q, retry %v, hint %q", name, f.Msg, f.Retry, f.Hint)
		}
	}
}

// TestNoServer tells a server that is not there from one that is not known.
func TestNoServer(t *testing.T) {
	closed := httptest.NewServer(nil)
	closed.Close()
	_, err := asked(t.Context(), t, New(patience()), closed.URL)
	if f := failure.From(err); !f.Retry || f.Status != prog.TryLater ||
		f.Hint != "no server listens at "+closed.URL {
		t.Errorf("%+v", f)
	}
	secure := httptest.NewTLSServer(nil)
	defer secure.Close()
	_, err = asked(t.Context(), t, New(patience()), secure.URL)
	if f := failure.From(err); f.Retry || !strings.Contains(f.Hint,
		"SSL_CERT_FILE names more certificates") {
		t.Errorf("%+v", f)
	}
	plain := serve(t, func(http.ResponseWriter, *http.Request) {})
	_, err = asked(t.Context(), t, New(patience()), strings.Replace(plain, "http:", "https:", 1))
	if f := failure.From(err); f.Retry || !strings.Contains(f.Hint, "check the base URL") {
		t.Errorf("%+v", f)
	}
}

// TestStalled gives up an answer that does not begin, does not go on or takes too long, and
// one that nobody wants any more; each by its own reason.
func TestStalled(t *testing.T) {
	silent := func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}
	begun := func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		io.WriteString(w, modeltest.Stream("anthropic", "end_turn")[0])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
	short := 50 * time.Millisecond
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		limit  func(*Limits)
		msg    string
		status int
	}{
		"no beginning": {silent, func(l *Limits) { l.First = short }, "no answer from anthropic in 50ms",
			prog.TryLater},
		"no more": {begun, func(l *Limits) { l.Idle = short }, "no data from the model for 50ms",
			prog.TryLater},
		"all of it":   {begun, func(l *Limits) { l.Total = short }, "took longer than 50ms", prog.Limit},
		"interrupted": {begun, func(*Limits) {}, "interrupted", 130},
	} {
		l := patience()
		c.limit(&l)
		ctx, cancel := context.WithCancelCause(t.Context())
		if name == "interrupted" {
			time.AfterFunc(short, func() { cancel(failure.Interrupted(130)) })
		}
		_, err := asked(ctx, t, New(l), serve(t, c.answer))
		f := failure.From(err)
		if err == nil || !strings.Contains(f.Msg, c.msg) || f.Status != c.status {
			t.Errorf("%s: %+v", name, f)
		}
		cancel(nil)
	}
}

// TestReassured tells who waits that an answer has not begun, once it has taken a while.
func TestReassured(t *testing.T) {
	told := make(chan string, 100)
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		<-told
		<-told
		stream(w, "at last")
	})
	l := patience()
	l.Quiet = time.Millisecond
	c := New(l)
	c.Note = func(format string, a ...any) { told <- fmt.Sprintf(format, a...) }
	if text, err := asked(t.Context(), t, c, base); text != "at last" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}

// TestFetch fetches a list, or says why not.
func TestFetch(t *testing.T) {
	base := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.URL.Path == "/none" {
			w.WriteHeader(404)
		}
		fmt.Fprintf(w, "%s %s %s", r.Method, r.URL.Path, body)
	})
	c, m := New(patience()), provider.Model{Provider: "p", API: "anthropic", Base: base}
	for _, f := range []struct {
		path string
		post []byte
		want string
	}{{"/list", nil, "GET /list "}, {"/show", []byte("{}"), "POST /show {}"}, {"/none", nil, ""}} {
		got, err := c.Fetch(t.Context(), m, base+f.path, f.post)
		if string(got) != f.want || (err == nil) != (f.want != "") {
			t.Errorf("%s: %q, %v", f.path, got, err)
		}
	}
	if _, err := c.Fetch(t.Context(), m, "http://127.0.0.1:1/", nil); err == nil {
		t.Error("no server answers")
	}
}

// TestProxyRefused says what a proxy answers that opens no tunnel.
func TestProxyRefused(t *testing.T) {
	proxy := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodConnect {
			status := http.StatusProxyAuthRequired
			if r.Host == "busy.example:443" {
				status = http.StatusServiceUnavailable
			}
			w.WriteHeader(status)
		}
	})
	u, err := url.Parse(proxy)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"https_proxy", "HTTP_PROXY", "http_proxy"} {
		t.Setenv(name, "")
	}
	t.Setenv("HTTPS_PROXY", proxy)
	for host, want := range map[string]struct {
		status int
		retry  bool
	}{"shut.example": {prog.Trouble, false}, "busy.example": {prog.TryLater, true}} {
		c := New(patience())
		c.transport.Proxy = http.ProxyURL(u) // that of the environment is read once a process
		_, err := asked(t.Context(), t, c, "https://"+host)
		var f *failure.Failure
		if !errors.As(err, &f) || f.Status != want.status || f.Retry != want.retry ||
			f.Hint != proxyHint ||
			!strings.Contains(f.Msg, "the proxy 127.0.0.1:") {
			t.Errorf("%s: %+v", host, err)
		}
	}
}
