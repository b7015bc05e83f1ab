package proxy

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/cgi"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ua/internal/test/scripttest"
)

// command is a program as it would stand inside: the proxy's variables, and
// nothing of this machine's settings.
func (g *rig) command(t testing.TB, name string, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir = t.TempDir()
	c.Env = append(Env(g.addr, secret), "HOME="+c.Dir, "PATH="+os.Getenv("PATH"),
		"GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0")
	return c
}

func TestCurl(t *testing.T) {
	scripttest.Need(t, "curl")
	tlsAddr, _ := secureWeb(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "secure ", r.Host)
	})
	plain, _ := web(t, func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		fmt.Fprint(w, "plain ", r.Host, " ", n)
	})
	g := start(t, func(g *rig) {
		g.to(t, "443", tlsAddr)
		g.to(t, "80", plain)
		resolve(t, names{"example.com": {"127.0.0.1"}, "app.test": {"127.0.0.1"}}.zone)
	}, "example.com", "app.test", "127.0.0.1")
	upload := filepath.Join(t.TempDir(), "upload")
	os.WriteFile(upload, bytes.Repeat([]byte("x"), 3<<20), 0o600)
	for _, tt := range []struct {
		args, want string
		fails      bool
	}{
		{"http://app.test/", "plain app.test 0", false},
		{"-k https://example.com/", "secure example.com", false},
		{"--http1.0 http://app.test/", "plain app.test 0", false},
		{"-T " + upload + " http://app.test/up", "plain app.test 3145728", false},
		{"-T - http://app.test/up", "plain app.test 5", false}, // chunked
		{"-p -x http://ua:" + secret + "@" + g.addr + " http://app.test/", "plain app.test 0", false},
		{"--proxy-anyauth http://app.test/", "plain app.test 0", false},
		{"http://evil.test/", "evil.test is not among the allowed hosts", false},
		{"-T " + upload + " http://evil.test/", "evil.test is not among the allowed hosts", false},
		{"https://evil.test/", "response 403", true},
		{"-x http://" + g.addr + " http://app.test/", "this command may not use the network", false},
		{"-k --connect-to evil.test:443:example.com:443 https://evil.test/", "alert", true},
		{"-H Host:evil.test http://app.test/", "different hosts", false},
	} {
		c := g.command(t, "curl", append([]string{"-sS", "--max-time", "20"},
			strings.Fields(tt.args)...)...)
		c.Stdin = strings.NewReader("hello")
		out, err := c.CombinedOutput()
		if (err != nil) != tt.fails || !strings.Contains(strings.ToLower(string(out)),
			strings.ToLower(tt.want)) {
			t.Errorf("curl %s: %v\n%s", tt.args, err, out)
		}
	}
}

// git clones and pushes over http and https by its own server program.
func TestGitHTTP(t *testing.T) {
	scripttest.Need(t, "git")
	path, err := exec.Command("git", "--exec-path").Output()
	backend := filepath.Join(strings.TrimSpace(string(path)), "git-http-backend")
	if _, e := os.Stat(backend); err != nil || e != nil {
		scripttest.Skip(t, scripttest.Missing, "git has no http-backend here")
	}
	root := t.TempDir()
	serve := func(w http.ResponseWriter, r *http.Request) {
		h := cgi.Handler{Path: backend, Env: []string{
			"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=me",
			"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*"}}
		// CGI has no chunked bodies, which git sends over a MiB.
		b, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(b)), int64(len(b))
		r.TransferEncoding = nil
		h.ServeHTTP(w, r)
	}
	plain, _ := web(t, serve)
	tlsAddr, cert := secureWeb(t, serve)
	g := start(t, func(g *rig) {
		g.to(t, "443", tlsAddr)
		g.to(t, "80", plain)
		resolve(t, names{"example.com": {"127.0.0.1"}}.zone)
	}, "example.com", "127.0.0.1")
	if out, err := g.command(t, "git", "init", "-q", "--bare",
		filepath.Join(root, "repo.git")).CombinedOutput(); err != nil {
		t.Fatal(string(out))
	}
	script := `set -e
git init -q -b main work && cd work
head -c 3000000 /dev/urandom > big && git add big
git -c user.name=x -c user.email=x@y.z commit -q -m one
git push -q "$1/repo.git" HEAD:main
cd .. && git clone -q -b main "$1/repo.git" copy && cmp work/big copy/big
git clone -q http://evil.test/repo.git no && exit 3
true`
	for _, base := range []string{"http://example.com", "https://example.com"} {
		os.RemoveAll(filepath.Join(root, "repo.git", "refs", "heads", "main"))
		c := g.command(t, "sh", "-c", script, "sh", base)
		c.Env = append(c.Env, "GIT_SSL_CAINFO="+pemFile(t, cert))
		if out, err := c.CombinedOutput(); err != nil || !strings.Contains(string(out), "403") {
			t.Errorf("%s: %v\n%s", base, err, out)
		}
	}
	for _, line := range g.logged() {
		if strings.Contains(line, "credentials") {
			t.Error("git asked without the secret first:", line)
		}
	}
}

// pemFile writes the certificate for programs to read.
func pemFile(t testing.TB, cert *x509.Certificate) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ca.pem")
	b := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Raw})
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Connect joins stdin and stdout to the far side, and tells what was refused.
func TestConnect(t *testing.T) {
	_, port := echo(t)
	g := start(t, nil, "app.test:"+port, "127.0.0.1:"+port)
	vars := map[string]string{}
	for _, kv := range Env(g.addr, secret) {
		k, v, _ := strings.Cut(kv, "=")
		vars[k] = v
	}
	for _, drop := range []string{"", "UA_PROXY", "HTTPS_PROXY", "https_proxy"} {
		delete(vars, drop)
		var out bytes.Buffer
		err := Connect("app.test", port, strings.NewReader("hello"), &out, func(k string) string {
			return vars[k]
		})
		if err != nil || out.String() != "hello" {
			t.Errorf("without %s: %q, %v", drop, out.String(), err)
		}
	}
	for _, tt := range []struct{ host, port, proxy, want string }{
		{"evil.test", "22", "", "evil.test is not among the allowed hosts"},
		{"app.test", "22", "", "port " + port + " only"},
		{"app.test\r\nX: y", "22", "", "not a host name"},
		{"app.test", "x", "", "port"},
		{"app.test", port, "http://ua:wrong@" + g.addr, "may not use the network"},
		{"app.test", port, "socks5://" + g.addr, "not http://"},
		{"app.test", port, "http://127.0.0.1:1", "refused"},
	} {
		err := Connect(tt.host, tt.port, strings.NewReader(""), io.Discard, func(k string) string {
			if tt.proxy != "" {
				return tt.proxy
			}
			return vars[k]
		})
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q:%s: %v, want %q", tt.host, tt.port, err, tt.want)
		}
	}
	if err := Connect("a.test", "22", nil, nil, func(string) string { return "" }); err == nil ||
		!strings.Contains(err.Error(), "no proxy here") {
		t.Error(err)
	}
}

// A loopback address that is listed means the one outside.
func TestNoProxy(t *testing.T) {
	for _, tt := range []struct{ allow, want string }{
		{"", "localhost,127.0.0.1,::1"},
		{"example.com packages host.internal:80 *", "localhost,127.0.0.1,::1"},
		{"127.0.0.1:8080", "localhost,::1"},
		{"localhost [::1]:90 127.0.0.1", ""},
		{"*.localhost", "localhost,127.0.0.1,::1"},
	} {
		env := Env("127.0.0.1:9", secret, strings.Fields(tt.allow)...)
		for _, name := range []string{"NO_PROXY=", "no_proxy="} {
			if !slices.Contains(env, name+tt.want) {
				t.Errorf("%s: %q has no %s", tt.allow, env, name+tt.want)
			}
		}
	}
}

// ssh reads the ProxyCommand as it is meant.
func TestSSHCommand(t *testing.T) {
	scripttest.Need(t, "ssh")
	g := start(t, nil)
	c := g.command(t, "sh", "-c", `eval "$GIT_SSH_COMMAND -F none -G -p 2222 host.test"`)
	out, err := c.CombinedOutput()
	self, _ := os.Executable()
	if want := "proxycommand '" + self + "' --connect %h %p\n"; err != nil ||
		!strings.Contains(string(out), want) {
		t.Errorf("%v: %s\nwant %s", err, out, want)
	}
	if got := proxyCommand("/a b/50%/it's"); got != `'/a b/50%%/it'\''s' --connect %h %p` {
		t.Error(got)
	}
}
