package main

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"ua/internal/test/modeltest"
	"ua/internal/test/scripttest"
)

// certificate returns files with a certificate of this machine and its key.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	scripttest.Need(t, "openssl")
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert"), filepath.Join(dir, "key")
	if out, err := exec.Command("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
		"ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=think", "-addext",
		"subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", cert).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return cert, key
}

// TestTLSGone: a client on another machine that ends without a word is noticed as one on this
// machine is.
func TestTLSGone(t *testing.T) {
	f := modeltest.NewServer(t, func(n int, api string, _ gjson.Result) modeltest.Reply {
		return modeltest.Reply{Pieces: hello(api).Pieces[:8], Stall: true}
	})
	f.Use(t)
	cert, key := certificate(t)
	g := serve(t, gatewayToken, "--events", "--model", "anthropic/m", "--listen", "127.0.0.1:0",
		"--tls-cert", cert, "--tls-key", key)
	address := strings.TrimPrefix(g.ready.Get("url").Str, "tls://")
	c, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(c, `{"type":"hello","token":%q}`+"\n"+`{"type":"options","thinking":-1}`+"\n"+
		strings.Join(asks(), "\n")+"\n", gatewayToken)
	for r := bufio.NewReader(c); ; {
		line, err := r.ReadString('\n')
		if err != nil || strings.Contains(line, "ls -la") {
			break
		}
	}
	c.NetConn().Close()
	l := g.lines("model_request", 1)
	if len(l) != 1 || l[0].Get("stop_reason").Str != "interrupted" {
		t.Errorf("%v", l)
	}
}

// TestServeTLS: ua-think without a key asks one on another machine by TLS. Both sides have to
// know each other, and all share one budget.
func TestServeTLS(t *testing.T) {
	cert, key := certificate(t)
	f := modeltest.NewServer(t, modeltest.Always(hello))
	f.Use(t)
	g := serve(t, gatewayToken, "--events", "--max-questions", "2", "--model", "anthropic/m",
		"--listen", "127.0.0.1:0", "--tls-cert", cert, "--tls-key", key)
	url := g.ready.Get("url").Str
	address, ok := strings.CutPrefix(url, "tls://")
	if !ok {
		t.Fatalf("%s", g.ready.Raw)
	}
	for _, name := range []string{"ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"} {
		t.Setenv(name, "")
	}
	t.Setenv("UA_GATEWAY", url)
	t.Setenv("UA_GATEWAY_TOKEN", gatewayToken)
	stranger := exec.Command(filepath.Join(scripttest.Bin(t), "ua-think"), "hi")
	if out, _ := stranger.CombinedOutput(); stranger.ProcessState.ExitCode() != 75 ||
		!strings.Contains(string(out), "certificate") {
		t.Errorf("without its certificate: %s", out)
	}
	t.Setenv("SSL_CERT_FILE", cert) // read once by a process
	for _, c := range []struct {
		what, token string
		status      int
	}{
		{"with another token", "other", 2},
		{"as it should", gatewayToken, 0},
		{"once more", gatewayToken, 0},
		{"over budget", gatewayToken, 124},
	} {
		t.Setenv("UA_GATEWAY_TOKEN", c.token)
		o := think(t, `{"type":"run","id":"pod"}`+"\n"+`{"type":"instruction","text":"hi"}`)
		if o.status != c.status || (o.status == 0) != (o.said("text") == "Let me look") ||
			strings.Contains(o.out+o.stderr, modeltest.Secret) {
			t.Errorf("%s: %d %s%s", c.what, o.status, o.out, o.stderr)
		}
	}
	if resp, err := http.Get("http://" + address); err == nil {
		resp.Body.Close()
		t.Errorf("without TLS: %s", resp.Status)
	}
	for _, l := range g.lines("model_request", 2) {
		if l.Get("pid").Int() != 0 || l.Get("depth").Int() != 0 {
			t.Errorf("a process of another machine: %s", l.Raw)
		}
	}
	if n := len(f.Requests()); n != 2 {
		t.Errorf("%d questions reached the model", n)
	}
}

// TestServeHTTPS: an agent of another kind asks by HTTPS, with the token as its key.
func TestServeHTTPS(t *testing.T) {
	cert, key := certificate(t)
	modeltest.NewServer(t, modeltest.Always(hello)).Use(t)
	g := serve(t, gatewayToken, "--model", "anthropic/m", "--listen", "127.0.0.1:0",
		"--tls-cert", cert, "--tls-key", key)
	address := strings.TrimPrefix(g.ready.Get("url").Str, "tls://")
	text, err := os.ReadFile(cert)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	agent := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	for token, status := range map[string]int{gatewayToken: 200, "other": 401} {
		req, _ := http.NewRequest("POST", "https://"+address+"/v1/messages", strings.NewReader(
			`{"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":`+
				`[{"type":"text","text":"hi"}]}]}`))
		req.Header.Set("X-Api-Key", token)
		resp, err := agent.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		answer, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != status ||
			strings.Contains(string(answer), "Let me look") != (status == 200) {
			t.Errorf("token %s: %s: %s", token, resp.Status, answer)
		}
	}
}
