package session

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/conversation"
	"ua/cmd/ua-think/internal/provider"
	"ua/cmd/ua-think/internal/settings"
	"ua/cmd/ua-think/internal/transport"
	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/test/modeltest"
)

// newSession is a session that writes to nowhere.
func newSession(t testing.TB, spec string) *Session {
	t.Helper()
	cfg := &settings.Settings{}
	m, err := provider.Resolve(spec, cfg)
	if err != nil {
		t.Fatal(err)
	}
	if m.HasKey(cfg) {
		if m, err = m.Unlock(cfg); err != nil {
			t.Fatal(err)
		}
	}
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { null.Close() })
	s := &Session{
		Options: Options{Thinking: -1, Retries: 4, MaxWait: time.Minute,
			Answer: answer.Limits{Event: 16 << 20, Text: 10 << 20}},
		Config: cfg, Models: []provider.Model{m}, Out: event.NewOutbox(null), Stderr: null,
		Client: transport.New(transport.Limits{Connect: 10 * time.Second, Idle: time.Minute,
			Total: time.Minute, Quiet: time.Minute}),
	}
	t.Cleanup(func() { s.Out.Close(0) })
	s.Begin()
	return s
}

// TestSpent: what the driver gives anew after a cut counts once, and another
// run's cost does not count.
func TestSpent(t *testing.T) {
	s := newSession(t, "anthropic/m")
	response := func(sha string) string {
		return `{"type":"response","stop_reason":"end_turn","request_sha256":"` + sha +
			`","content":[{"type":"text","text":"x"}],"usage":{"input":10,"output":5}}`
	}
	for _, c := range []struct {
		line string
		want int64
	}{
		{`{"type":"run","id":"a"}`, 0}, {response("1"), 15}, {response("2"), 30},
		{`{"type":"run","id":"a"}`, 30}, {response("2"), 30},
		{response("3"), 45}, {`{"type":"run","id":"b"}`, 0}, {response("3"), 15}, {response(""), 30},
		{response(""), 45},
	} {
		if err := s.Take(t.Context(), c.line); err != nil || s.spent.Tokens() != c.want {
			t.Errorf("%s: %v, %d tokens, want %d", c.line, err, s.spent.Tokens(), c.want)
		}
	}
}

// TestCheckpoint: what a checkpoint stands for is not sent again.
func TestCheckpoint(t *testing.T) {
	s := newSession(t, "anthropic/m")
	for _, line := range []string{
		`{"type":"run","id":"r"}`, `{"type":"system","text":"S","tools":[]}`,
		`{"type":"instruction","text":"first"}`,
		`{"type":"response","content":[{"type":"text","text":"old"}]}`,
		`{"type":"instruction","text":"second"}`,
		`{"type":"checkpoint","text":"summary"}`, `{"type":"instruction","text":"third"}`,
	} {
		if err := s.Take(t.Context(), line); err != nil {
			t.Fatal(err)
		}
	}
	talk := s.talk.Now()
	var said []string
	for _, p := range talk.Messages[0].Parts {
		said = append(said, p.Text)
	}
	if got := strings.Join(said, " "); got != "first summary third" || len(talk.Messages) != 1 ||
		s.answers != 1 {
		t.Errorf("%q", got)
	}
}

// TestIdleConnection: a connection that the server closed between two turns is
// made anew without a word.
func TestIdleConnection(t *testing.T) {
	f := modeltest.NewServer(t, modeltest.Always(modeltest.Done))
	f.Use(t)
	s := newSession(t, "anthropic/claude-sonnet-5-5")
	for range 3 {
		for _, line := range []string{`{"type":"instruction","text":"hi"}`, `{"type":"turn"}`} {
			if err := s.Take(t.Context(), line); err != nil {
				t.Fatal(err)
			}
		}
		f.CloseClientConnections()
	}
	if len(f.Requests()) != 3 {
		t.Errorf("%d requests", len(f.Requests()))
	}
}

// TestReassure: who waits for a model is told, until the answer begins.
func TestReassure(t *testing.T) {
	told := make(chan string, 100)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for range 3 {
			<-told
		}
		http.Error(w, "no", http.StatusBadRequest)
	}))
	defer server.Close()
	t.Setenv("ANTHROPIC_BASE_URL", server.URL)
	t.Setenv("ANTHROPIC_API_KEY", "sk-ant-test-key-0123456789")
	s := newSession(t, "anthropic/m")
	s.Client.Limits.Quiet = time.Millisecond
	s.Client.Note = func(format string, a ...any) { told <- fmt.Sprintf(format, a...) }
	request := &provider.Request{Talk: conversation.New("", true), Thinking: -1}
	q, err := s.prepare(s.Models[0], request)
	if err != nil {
		t.Fatal(err)
	}
	_, f := s.try(t.Context(), q)
	if f == nil || f.Status != prog.Trouble {
		t.Errorf("%+v", f)
	}
	for n := len(told); n > 0; n-- {
		if text := <-told; !strings.HasPrefix(text, "no answer from anthropic/m for ") {
			t.Error(text)
		}
	}
}
