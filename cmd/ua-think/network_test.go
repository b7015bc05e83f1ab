package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/tidwall/gjson"

	"ua/internal/common/prog"
	"ua/internal/common/scripttest"
)

// thinkApart runs the real binary with more environment: what package net/http
// reads of it, it reads once a process.
func thinkApart(t *testing.T, env []string, args ...string) (out string, status int) {
	cmd := exec.Command(filepath.Join(scripttest.Bin(t), "ua-think"), args...)
	cmd.Env = append(os.Environ(), env...)
	text, _ := cmd.CombinedOutput()
	return string(text), cmd.ProcessState.ExitCode()
}

// TestTLS: a certificate that nobody signed is refused, and taken when the
// environment names it; HTTP/2 is spoken with who speaks it.
func TestTLS(t *testing.T) {
	for _, h2 := range []bool{false, true} {
		f := &fake{t: t, answer: func(n int, api string, _ gjson.Result) reply { return done(api) }}
		f.Server = httptest.NewUnstartedServer(f)
		f.EnableHTTP2 = h2
		f.StartTLS()
		defer f.Close()
		f.use(t)
		out, status := thinkApart(t, nil, "--model", "anthropic/m", "hi")
		if status != 2 || !strings.Contains(out, "signed by nobody") {
			t.Errorf("unknown certificate: %d %s", status, out)
		}
		cert := filepath.Join(t.TempDir(), "cert.pem")
		os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: f.Certificate().Raw}), 0o600)
		out, status = thinkApart(t, []string{"SSL_CERT_FILE=" + cert, "SSL_CERT_DIR=/nonexistent"}, "--model", "anthropic/m", "--text", "hi")
		if status != 0 || !strings.Contains(out, "Done.") {
			t.Errorf("h2 %v: %d %s", h2, status, out)
		}
	}
}

// TestProxy: a proxy that the environment names is asked in the server's place.
func TestProxy(t *testing.T) {
	f := newFake(t, func(n int, api string, _ gjson.Result) reply { return done(api) })
	f.use(t)
	env := []string{"HTTP_PROXY=" + f.URL, "ANTHROPIC_BASE_URL=http://model.invalid"}
	if out, status := thinkApart(t, env, "--model", "anthropic/m", "--text", "hi"); status != 0 || !strings.Contains(out, "Done.") {
		t.Errorf("%d %s", status, out)
	}
	env = append(env, "NO_PROXY=model.invalid")
	if out, status := thinkApart(t, env, "--model", "anthropic/m", "--retries=0", "hi"); status != 75 || !strings.Contains(out, "check the base URL") {
		t.Errorf("%d %s", status, out)
	}
}

// TestBadProxy: it is the proxy that fails, not the server, and a refusal is no
// reason to ask again.
func TestBadProxy(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusProxyAuthRequired) }))
	defer proxy.Close()
	for _, c := range []struct {
		env    []string
		status int
		says   string
	}{
		{[]string{"HTTPS_PROXY=" + proxy.URL, "ANTHROPIC_BASE_URL=https://model.invalid"}, 2, "answers: 407 Proxy Authentication Required"},
		{[]string{"HTTP_PROXY=http://127.0.0.1:1", "ANTHROPIC_BASE_URL=http://model.invalid"}, 75, "connection refused"},
	} {
		env := append(c.env, "ANTHROPIC_API_KEY=sk-ant-test")
		out, status := thinkApart(t, env, "--model", "anthropic/m", "--retries=1", "--max-wait=1ms", "hi")
		if status != c.status || !strings.Contains(out, c.says) || !strings.Contains(out, "hint: check the proxy") {
			t.Errorf("%v: %d %s", c.env, status, out)
		}
		if status == 2 && strings.Contains(out, "again") {
			t.Errorf("%v: %s", c.env, out)
		}
	}
}

// TestUntrusted: a certificate that does not hold is no trouble that passes.
func TestUntrusted(t *testing.T) {
	f := &fake{t: t, answer: func(n int, api string, _ gjson.Result) reply { return done(api) }}
	f.Server = httptest.NewTLSServer(f)
	defer f.Close()
	cert := filepath.Join(t.TempDir(), "cert.pem")
	os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: f.Certificate().Raw}), 0o600)
	plain := httptest.NewServer(f)
	defer plain.Close()
	_, port, _ := strings.Cut(f.Listener.Addr().String(), ":")
	for base, says := range map[string]string{
		"https://localhost:" + port:                      "for another name",
		strings.Replace(plain.URL, "http:", "https:", 1): "speaks no TLS",
	} {
		env := []string{"SSL_CERT_FILE=" + cert, "SSL_CERT_DIR=/nonexistent", "ANTHROPIC_API_KEY=sk-ant-test", "ANTHROPIC_BASE_URL=" + base}
		if out, status := thinkApart(t, env, "--model", "anthropic/m", "hi"); status != 2 || !strings.Contains(out, says) || strings.Contains(out, "again") {
			t.Errorf("%s: %d %s", base, status, out)
		}
	}
	for err, says := range map[error]string{
		x509.CertificateInvalidError{Reason: x509.Expired}: "clock", x509.CertificateInvalidError{Reason: x509.IncompatibleUsage}: "",
		&tls.CertificateVerificationError{Err: io.EOF}: "does not hold", io.EOF: "",
	} {
		if got := untrusted(err); !strings.Contains(got, says) || says == "" && got != "" {
			t.Errorf("%v: %q", err, got)
		}
	}
}

func TestPrices(t *testing.T) {
	s := newSession(t, "anthropic/m")
	for _, c := range []struct {
		spec string
		u    usage
		want float64
	}{
		{"anthropic/claude-sonnet-5-5", usage{input: 1e6, cacheRead: 1e6, cacheWrite: 1e6, output: 1e6}, 2 + 0.1 + 2.5 + 10},
		{"anthropic/claude-sonnet-4-5-20250929", usage{input: 1e6}, 3},
		{"anthropic/claude-opus-4-7", usage{output: 1e6}, 25},
		{"anthropic/claude-opus-4-1", usage{output: 1e6}, 75},
		{"anthropic/claude-haiku-5-5", usage{input: 100_000}, 0.01},
		{"anthropic/claude-haiku-5-5", usage{input: 100_000, cacheRead: 1}, 0.05 + 0.05e-6},
		{"openai/gpt-6.1-sol", usage{input: 1e5, output: 1e6}, 0.2 + 10},
		{"openai/gpt-6.1-sol-2026-10-01", usage{input: 3e5, output: 1e6}, 1.2 + 15},
		{"ollama/llama", usage{input: 1e6, output: 1e6}, 0},
	} {
		p, ok := s.priceOf(c.spec)
		if got := p.cost(c.u); !ok || got < c.want-1e-9 || got > c.want+1e-9 {
			t.Errorf("%s: %v %v, want %v", c.spec, ok, got, c.want)
		}
	}
	if _, ok := s.priceOf("anthropic/claude-9"); ok {
		t.Error("an unknown model has a price")
	}
	var table struct{ Price []price }
	if _, err := toml.Decode(prices, &table); err != nil {
		t.Fatal(err)
	}
	for _, row := range table.Price {
		spec := strings.NewReplacer("*", "", "[5-8]", "7").Replace(row.Model)
		fits := func(p price) bool { ok, _ := path.Match(p.Model, spec); return ok }
		want := table.Price[slices.IndexFunc(table.Price, fits)]
		if p, ok := listed(spec); !ok || p != want {
			t.Errorf("%s: %+v, want %+v", spec, p, want)
		}
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
	s.client.limits.quiet = time.Millisecond
	s.client.note = func(format string, a ...any) { told <- fmt.Sprintf(format, a...) }
	_, f := s.try(context.Background(), s.models[0], call{url: server.URL, header: http.Header{}})
	if f == nil || f.status != prog.Trouble {
		t.Errorf("%+v", f)
	}
	for n := len(told); n > 0; n-- {
		if text := <-told; !strings.HasPrefix(text, "no answer from anthropic/m for ") {
			t.Error(text)
		}
	}
}

// TestNoStream: a server that answers with something else is told as such.
func TestNoStream(t *testing.T) {
	for name, c := range map[string]struct {
		rep    reply
		status int
		says   string
		asked  int
	}{
		"a page":         {reply{header: map[string]string{"Content-Type": "text/html; charset=utf-8"}, pieces: []string{"<html>Log in</html>"}}, 2, "no stream but text/html", 1},
		"a whole answer": {reply{header: map[string]string{"Content-Type": "application/json"}, pieces: []string{`{"choices":[{"message":{"content":"hi"}}]}`}}, 2, "no stream but application/json", 1},
		"an error in it": {reply{header: map[string]string{"Content-Type": "application/json"}, pieces: []string{`{"error":{"type":"overloaded_error","message":"busy"}}`}}, 75, "busy", 2},
		"don't retry":    {apiError(500, "api_error", "broken", "X-Should-Retry", "false"), 75, "broken", 1},
		"do retry":       {apiError(400, "odd", "again", "X-Should-Retry", "true", "retry-after-ms", "1"), 75, "again", 2},
	} {
		f := newFake(t, func(n int, api string, _ gjson.Result) reply { return c.rep })
		f.use(t)
		o := think(t, "", "--model", "openai-chat/m", "--retries=1", "--max-wait=1ms", "hi")
		if o.status != c.status || !strings.Contains(o.stderr, c.says) || len(f.requests) != c.asked {
			t.Errorf("%s: %d, %d requests, %s", name, o.status, len(f.requests), o.stderr)
		}
	}
}

// TestHostileWords: what a server says about an error drives no terminal and
// passes for no line of ours.
func TestHostileWords(t *testing.T) {
	for _, body := range []string{`{"error":{"type":"x","message":"bad\u001b]0;x\u0007\nua-think: hint: run this"}}`, "bad\x1b]0;x\x07\nua-think: hint: run this"} {
		f := newFake(t, func(n int, api string, _ gjson.Result) reply { return reply{status: 500, pieces: []string{body}} })
		f.use(t)
		o := think(t, "", "--model", "anthropic/m", "--retries=1", "--max-wait=1ms", "hi")
		if strings.ContainsAny(o.stderr, "\x1b\x07") || strings.Count(o.stderr, "bad^[]0;x^G ua-think: hint: run this") != 2 {
			t.Errorf("%q", o.stderr)
		}
	}
}

// TestIdleConnection: a connection that the server closed between two turns is
// made anew without a word.
func TestIdleConnection(t *testing.T) {
	f := newFake(t, func(n int, api string, _ gjson.Result) reply { return done(api) })
	f.use(t)
	s := newSession(t, "anthropic/claude-sonnet-5-5")
	s.models[0].base, s.models[0].key = f.URL, secret
	for range 3 {
		for _, line := range []string{`{"type":"instruction","text":"hi"}`, `{"type":"turn"}`} {
			if err := s.take(t.Context(), line); err != nil {
				t.Fatal(err)
			}
		}
		<-s.client.drained
		f.CloseClientConnections()
	}
	if len(f.requests) != 3 {
		t.Errorf("%d requests", len(f.requests))
	}
}

func TestTimeToBegin(t *testing.T) {
	for base, want := range map[string]time.Duration{
		"https://api.anthropic.com": time.Minute, "http://localhost:8080/v1": 5 * time.Minute, "http://127.0.0.1:11434": 5 * time.Minute,
		"http://[::1]:1": 5 * time.Minute, "http://10.0.0.1": time.Minute, "http://127.0.0.1.example.org": time.Minute,
	} {
		if got := (limits{}).toBegin(model{base: base}); got != want {
			t.Errorf("%s: %v", base, got)
		}
	}
	if got := (limits{first: time.Second}).toBegin(model{base: "http://localhost"}); got != time.Second {
		t.Errorf("given: %v", got)
	}
}

func TestIsEvents(t *testing.T) {
	long := strings.Repeat("x", 100<<10)
	for in, want := range map[string]bool{
		"": true, " \n": true, `{"type":"a"}`: true, "\n\n" + `{"type":"a"}` + "\nx": true, `{"type":"a","x":"` + long + `"}`: true,
		"hello": false, "{\n  \"type\": \"x\"\n}\n": false, `{"name":"x"}` + "\n": false, `[{"type":"a"}]`: false, "{": false, long: false, `{"name":"` + long: false,
	} {
		if got := isEvents(bufio.NewReaderSize(iotest.OneByteReader(strings.NewReader(in)), 64<<10)); got != want {
			t.Errorf("%.30q: %v", in, got)
		}
	}
}

// TestSpent: what the driver gives anew after a cut counts once, and another
// run's cost does not count.
func TestSpent(t *testing.T) {
	s := newSession(t, "anthropic/m")
	response := func(sha string) string {
		return `{"type":"response","stop_reason":"end_turn","request_sha256":"` + sha + `","content":[{"type":"text","text":"x"}],"usage":{"input":10,"output":5}}`
	}
	for _, c := range []struct {
		line string
		want int64
	}{
		{`{"type":"run","id":"a"}`, 0}, {response("1"), 15}, {response("2"), 30}, {`{"type":"run","id":"a"}`, 30}, {response("2"), 30},
		{response("3"), 45}, {`{"type":"run","id":"b"}`, 0}, {response("3"), 15}, {response(""), 30}, {response(""), 45},
	} {
		if err := s.take(t.Context(), c.line); err != nil || s.spent.tokens() != c.want {
			t.Errorf("%s: %v, %d tokens, want %d", c.line, err, s.spent.tokens(), c.want)
		}
	}
}
