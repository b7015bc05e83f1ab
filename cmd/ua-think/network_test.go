package main

import (
	"encoding/pem"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

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
}
