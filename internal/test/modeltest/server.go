package modeltest

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/config"
	"ua/internal/common/run"
)

// A Server is a model's server whose replies come from a function. A request that breaks
// a rule gets status 400 and fails the test.
type Server struct {
	*httptest.Server
	T      testing.TB
	Answer func(n int, api string, body gjson.Result) Reply // n counts from 0

	Pauses bool // a request may end with the words of the model, which it is to continue
	Lax    bool // a request need not ask for usage

	mu       sync.Mutex
	requests []string
	heads    []http.Header
	conns    map[string]bool
}

// A Reply is a status, headers, and a body in pieces that are flushed one by one. With
// Cut the connection is cut after that, and with Stall nothing more comes.
type Reply struct {
	Status int
	Header map[string]string
	Pieces []string
	Cut    bool
	Wait   time.Duration // before the headers
	Stall  bool          // for ever after the pieces
}

// Secret is the key that the server accepts.
const Secret = "sk-ant-test-0123456789"

// NewServer starts a Server, which ends with the test. answer gives the reply to each
// request that follows the rules.
func NewServer(t testing.TB, answer func(n int, api string, body gjson.Result) Reply) *Server {
	f := &Server{T: t, Answer: answer, conns: map[string]bool{}}
	f.Server = httptest.NewUnstartedServer(f)
	f.Config.ConnState = func(c net.Conn, s http.ConnState) {
		if s == http.StateNew {
			f.mu.Lock()
			f.conns[c.RemoteAddr().String()] = true
			f.mu.Unlock()
		}
	}
	f.Start()
	t.Cleanup(func() {
		f.CloseClientConnections()
		f.Close()
	})
	return f
}

// Always returns a Server's function whose reply depends on nothing but the API.
func Always(reply func(api string) Reply) func(n int, api string, body gjson.Result) Reply {
	return func(_ int, api string, _ gjson.Result) Reply { return reply(api) }
}

// Requests returns the bodies of the requests so far.
func (f *Server) Requests() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.requests)
}

// Heads returns the headers of the requests so far.
func (f *Server) Heads() []http.Header {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.heads)
}

// Conns returns how many connections were made.
func (f *Server) Conns() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.conns)
}

// ServeHTTP answers one request.
func (f *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	speaks := apiOf(r.URL.Path)
	if strings.HasSuffix(r.URL.Path, "/models") || r.URL.Path == "/api/tags" {
		f.models(w, r)
		return
	}
	raw, _ := io.ReadAll(r.Body)
	if r.URL.Path == "/api/show" {
		f.show(w, raw)
		return
	}
	f.mu.Lock()
	n := len(f.requests)
	f.requests = append(f.requests, string(raw))
	f.heads = append(f.heads, r.Header)
	f.mu.Unlock()
	held := raw
	if f.Pauses && gjson.GetBytes(raw, "messages.@reverse.0.role").Str == "assistant" {
		held = []byte(strings.TrimSuffix(string(raw), "]}") +
			`,{"role":"user","content":[{"type":"text","text":"go on"}]}]}`)
	}
	err := strict(speaks, r, held)
	if f.Lax && errors.Is(err, errNoUsage) {
		err = nil
	}
	if err == nil && !speaks.authentic(r.Header) {
		err = errors.New("the key, or a header of the version, is missing")
	}
	if err != nil {
		f.T.Errorf("request %d to %s: %v\n%s", n, r.URL.Path, err, raw)
		http.Error(w, `{"type":"error","error":{"type":"invalid_request_error","message":"`+err.Error()+
			`"}}`, 400)
		return
	}
	f.reply(w, r, f.Answer(n, speaks.name, gjson.ParseBytes(raw)))
}

// reply sends a reply.
func (f *Server) reply(w http.ResponseWriter, r *http.Request, rep Reply) {
	select {
	case <-time.After(rep.Wait):
	case <-r.Context().Done():
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for k, v := range rep.Header {
		w.Header().Set(k, v)
	}
	if rep.Status == 0 {
		rep.Status = 200
	}
	if rep.Cut && len(rep.Pieces) == 0 {
		panic(http.ErrAbortHandler)
	}
	w.WriteHeader(rep.Status)
	for _, p := range rep.Pieces {
		if _, err := io.WriteString(w, p); err != nil {
			return
		}
		w.(http.Flusher).Flush()
	}
	if rep.Stall {
		<-r.Context().Done()
	}
	if rep.Cut {
		panic(http.ErrAbortHandler)
	}
}

// show says that models with "blind" in their names take no images.
func (f *Server) show(w http.ResponseWriter, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	if strings.Contains(gjson.GetBytes(body, "model").Str, "blind") {
		io.WriteString(w, `{"capabilities":["completion","tools"]}`)
		return
	}
	io.WriteString(w, `{"capabilities":["completion","tools","vision"]}`)
}

// models sends the list of models.
func (f *Server) models(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Path == "/api/tags" {
		io.WriteString(w, `{"models":[{"name":"small:1b"},{"name":"big:70b"}]}`)
		return
	}
	io.WriteString(w, `{"data":[{"id":"b-model"},{"id":"a-model"}]}`)
}

// Use points every provider at the server, by environment variables, and sets a key.
func (f *Server) Use(t testing.TB) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv(config.EnvFile, "")
	t.Setenv(config.EnvModel, "")
	t.Setenv(run.EnvGateway, "")
	t.Setenv("ANTHROPIC_API_KEY", Secret)
	t.Setenv("OPENAI_API_KEY", Secret)
	t.Setenv("ANTHROPIC_AUTH_TOKEN", "")
	t.Setenv("ANTHROPIC_BASE_URL", f.URL)
	t.Setenv("OPENAI_BASE_URL", f.URL+"/v1")
	t.Setenv("OLLAMA_HOST", f.URL)
}
