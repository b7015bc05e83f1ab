package main

import (
	"bufio"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tidwall/gjson"

	"ua/internal/test/modeltest"
	"ua/internal/test/scripttest"
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
		f := &modeltest.Server{T: t, Answer: modeltest.Always(modeltest.Done)}
		f.Server = httptest.NewUnstartedServer(f)
		f.EnableHTTP2 = h2
		f.StartTLS()
		defer f.Close()
		f.Use(t)
		out, status := thinkApart(t, nil, "--model", "anthropic/m", "hi")
		if status != 2 || !strings.Contains(out, "SSL_CERT_FILE names more certificates") {
			t.Errorf("unknown certificate: %d %s", status, out)
		}
		cert := filepath.Join(t.TempDir(), "cert.pem")
		os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE",
			Bytes: f.Certificate().Raw}), 0o600)
		out, status = thinkApart(t, []string{"SSL_CERT_FILE=" + cert, "SSL_CERT_DIR=/nonexistent"},
			"--model", "anthropic/m", "--text", "hi")
		if status != 0 || !strings.Contains(out, "Done.") {
			t.Errorf("h2 %v: %d %s", h2, status, out)
		}
	}
}

// TestProxy: a proxy that the environment names is asked in the server's place.
func TestProxy(t *testing.T) {
	f := modeltest.NewServer(t, modeltest.Always(modeltest.Done))
	f.Use(t)
	env := []string{"HTTP_PROXY=" + f.URL, "ANTHROPIC_BASE_URL=http://model.invalid"}
	if out, status := thinkApart(t, env, "--model", "anthropic/m", "--text", "hi"); status != 0 ||
		!strings.Contains(out, "Done.") {
		t.Errorf("%d %s", status, out)
	}
	env = append(env, "NO_PROXY=model.invalid")
	if out, status := thinkApart(t, env, "--model", "anthropic/m", "--retries=0",
		"hi"); status != 75 || !strings.Contains(out, "check the base URL") {
		t.Errorf("%d %s", status, out)
	}
}

// TestBadProxy: it is the proxy that fails, not the server, and a refusal is no
// reason to ask again.
func TestBadProxy(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusProxyAuthRequired)
	}))
	defer proxy.Close()
	for _, c := range []struct {
		env    []string
		status int
		says   string
	}{
		{[]string{"HTTPS_PROXY=" + proxy.URL, "ANTHROPIC_BASE_URL=https://model.invalid"}, 2,
			"answers: 407 Proxy Authentication Required"},
		{[]string{"HTTP_PROXY=http://127.0.0.1:1", "ANTHROPIC_BASE_URL=http://model.invalid"}, 75,
			"connection refused"},
	} {
		env := append(c.env, "ANTHROPIC_API_KEY=sk-ant-test")
		out, status := thinkApart(t, env, "--model", "anthropic/m", "--retries=1",
			"--max-wait=1ms", "hi")
		if status != c.status || !strings.Contains(out, c.says) ||
			!strings.Contains(out, "hint: check the proxy") {
			t.Errorf("%v: %d %s", c.env, status, out)
		}
		if status == 2 && strings.Contains(out, "again") {
			t.Errorf("%v: %s", c.env, out)
		}
	}
}

// TestUntrusted: a certificate that does not hold is no trouble that passes.
func TestUntrusted(t *testing.T) {
	f := &modeltest.Server{T: t, Answer: modeltest.Always(modeltest.Done)}
	f.Server = httptest.NewTLSServer(f)
	defer f.Close()
	cert := filepath.Join(t.TempDir(), "cert.pem")
	block := &pem.Block{Type: "CERTIFICATE", Bytes: f.Certificate().Raw}
	os.WriteFile(cert, pem.EncodeToMemory(block), 0o600)
	plain := httptest.NewServer(f)
	defer plain.Close()
	_, port, _ := strings.Cut(f.Listener.Addr().String(), ":")
	for base, says := range map[string]string{
		"https://localhost:" + port:                      "not localhost",
		strings.Replace(plain.URL, "http:", "https:", 1): "should it be http://?",
	} {
		env := []string{"SSL_CERT_FILE=" + cert, "SSL_CERT_DIR=/nonexistent",
			"ANTHROPIC_API_KEY=sk-ant-test", "ANTHROPIC_BASE_URL=" + base}
		if out, status := thinkApart(t, env, "--model", "anthropic/m", "hi"); status != 2 ||
			!strings.Contains(out, says) || strings.Contains(out, "again") {
			t.Errorf("%s: %d %s", base, status, out)
		}
	}
}

// TestNoStream: a server that answers with something else is told as such.
func TestNoStream(t *testing.T) {
	for name, c := range map[string]struct {
		rep    modeltest.Reply
		status int
		says   string
		asked  int
	}{
		"a page": {modeltest.Reply{Header: map[string]string{"Content-Type": "text/html; charset=utf-8"},
			Pieces: []string{"<html>Log in</html>"}}, 2, "no stream but text/html", 1},
		"a whole answer": {modeltest.Reply{Header: map[string]string{"Content-Type": "application/json"},
			Pieces: []string{`{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}`}},
			0, "", 1},
		"JSON of something else": {
			modeltest.Reply{Header: map[string]string{"Content-Type": "application/json"},
				Pieces: []string{`{"version":"1.0"}`}}, 2, "no stream but application/json", 1},
		"an error in it": {modeltest.Reply{Header: map[string]string{"Content-Type": "application/json"},
			Pieces: []string{`{"error":{"type":"overloaded_error","message":"busy"}}`}}, 75, "busy", 2},
		"broken JSON": {modeltest.Reply{Header: map[string]string{"Content-Type": "application/json"},
			Pieces: []string{`{"choices":[{"mess`}}, 75, "cut off", 2},
		"nothing": {modeltest.Reply{Header: map[string]string{"Content-Type": "application/json"}}, 75,
			"openai-chat: an empty answer", 2},
		"don't retry": {modeltest.APIError(500, "api_error", "broken", "X-Should-Retry", "false"), 75,
			"broken", 1},
		"do retry": {modeltest.APIError(400, "odd", "again", "X-Should-Retry", "true", "retry-after-ms",
			"1"), 75, "again", 2},
	} {
		f := modeltest.NewServer(t, func(int, string, gjson.Result) modeltest.Reply { return c.rep })
		f.Use(t)
		o := think(t, "", "--model", "openai-chat/m", "--retries=1", "--max-wait=1ms", "hi")
		if o.status != c.status || !strings.Contains(o.stderr, c.says) || len(f.Requests()) != c.asked {
			t.Errorf("%s: %d, %d requests, %s", name, o.status, len(f.Requests()), o.stderr)
		}
	}
}

// TestHostileWords: what a server says about an error drives no terminal and
// passes for no line of ours.
func TestHostileWords(t *testing.T) {
	for _, body := range []string{`{"error":{"type":"x","message":"bad\u001b]0;x\u0007\nua-think: ` +
		`hint: run this"}}`, "bad\x1b]0;x\x07\nua-think: hint: run this"} {
		f := modeltest.NewServer(t, func(n int, api string, _ gjson.Result) modeltest.Reply {
			return modeltest.Reply{Status: 500, Pieces: []string{body}}
		})
		f.Use(t)
		o := think(t, "", "--model", "anthropic/m", "--retries=1", "--max-wait=1ms", "hi")
		if strings.ContainsAny(o.stderr, "\x1b\x07") ||
			strings.Count(o.stderr, "bad^[]0;x^G ua-think: hint: run this") != 2 {
			t.Errorf("%q", o.stderr)
		}
	}
}

func TestIsEvents(t *testing.T) {
	long := strings.Repeat("x", 100<<10)
	for in, want := range map[string]bool{
		"": true, " \n": true, `{"type":"a"}`: true, "\n\n" + `{"type":"a"}` + "\nx": true,
		`{"type":"a","x":"` + long + `"}`: true,
		"hello":                           false, "{\n  \"type\": \"x\"\n}\n": false, `{"name":"x"}` +
			"\n": false,
		`[{"type":"a"}]`: false, "{": false, long: false, `{"name":"` + long: false,
	} {
		if got := isEvents(bufio.NewReaderSize(iotest.OneByteReader(strings.NewReader(in)),
			64<<10)); got != want {
			t.Errorf("%.30q: %v", in, got)
		}
	}
}
