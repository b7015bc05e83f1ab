package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ua/internal/common/prog"
)

// A client sends requests over one connection that it keeps.
type client struct {
	transport *http.Transport
	limits    limits
	note      func(format string, a ...any) // for people, who may wait; may be nil
	roots     sync.Once
	drained   chan struct{} // closed when the last response's end has been read
}

func newClient(l limits) *client {
	t := &http.Transport{
		DialContext:         (&net.Dialer{Timeout: l.connect}).DialContext,
		TLSHandshakeTimeout: l.connect,
		ForceAttemptHTTP2:   true,
		DisableCompression:  true,
		MaxIdleConnsPerHost: 2,
	}
	if proxied() {
		t.Proxy = http.ProxyFromEnvironment
		t.OnProxyConnectResponse = proxyRefused
	}
	return &client{transport: t, limits: l}
}

// proxied says whether the environment names a proxy: looking for one in
// each request is not free.
func proxied() bool {
	for _, name := range []string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"} {
		if os.Getenv(name) != "" {
			return true
		}
	}
	return false
}

// warm loads the system's certificates beside other work when url needs them:
// it takes longer than all the rest of a request's preparation.
func (c *client) warm(url string) {
	if strings.HasPrefix(url, "https:") {
		c.roots.Do(func() { go x509.SystemCertPool() })
	}
}

// do sends a call and feeds its answer to a. The error is a *failure.
func (c *client) do(ctx context.Context, m model, k call, a *answer) error {
	ctx, cancel := context.WithCancelCause(ctx)
	body := &patient{idle: c.limits.idle}
	total := time.AfterFunc(c.limits.total, func() {
		cancel(&failure{msg: "the model's answer took longer than " + c.limits.total.String(), hint: "--timeout lifts the limit", status: prog.Limit})
	})
	body.watch = time.AfterFunc(c.limits.toBegin(m), func() { cancel(c.stalled(m, body.begun.Load())) })
	if c.note != nil {
		go c.reassure(ctx, m, body)
	}
	err := c.answer(ctx, m, k, a, body)
	total.Stop()
	body.watch.Stop()
	if err != nil {
		err = hide(m, because(ctx, err))
		cancel(nil)
		return err
	}
	c.drain(body.ReadCloser, cancel)
	return nil
}

// reassure tells who waits that the model has not begun to answer: when it has
// taken the limit's time, and then whenever that has doubled.
func (c *client) reassure(ctx context.Context, m model, body *patient) {
	for waited, wait := time.Duration(0), c.limits.quiet; ; wait = waited {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		if waited += wait; body.begun.Load() {
			return
		}
		c.note("no answer from %s for %v, waiting", m.spec(), waited)
	}
}

func (c *client) stalled(m model, begun bool) error {
	f := &failure{msg: "no answer from " + m.provider + " in " + c.limits.toBegin(m).String(), status: prog.TryLater, retry: true}
	if begun {
		f.msg = "the model's answer stood still for " + c.limits.idle.String()
	}
	return f
}

// answer sends a call and decodes what comes back through body.
func (c *client) answer(ctx context.Context, m model, k call, a *answer, body *patient) error {
	resp, err := c.send(ctx, m, http.MethodPost, k)
	if err != nil {
		return unreachable(m, err)
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
		return httpFailure(m.provider, resp, text)
	}
	if typ := resp.Header.Get("Content-Type"); strings.HasPrefix(typ, "application/json") || strings.HasPrefix(typ, "text/html") {
		defer resp.Body.Close()
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
		f := apiFailure(m.provider, 0, errorType(text), errorText(text))
		f.msg, f.hint = f.msg+" (no stream but "+typ+")", "check the base URL: "+k.url+" was asked"
		if errorType(text) == "" {
			f.retry, f.status = false, prog.Trouble
		}
		return f
	}
	body.ReadCloser = resp.Body
	if err := k.decode(body, a); err != nil {
		resp.Body.Close()
		return err
	}
	return nil
}

// send makes the HTTP request. No redirect is followed: a key goes only where
// the user sent it.
func (c *client) send(ctx context.Context, m model, method string, k call) (*http.Response, error) {
	if c.drained != nil {
		select {
		case <-c.drained:
		case <-time.After(5 * time.Millisecond):
		}
	}
	req, err := http.NewRequestWithContext(ctx, method, k.url, bytes.NewReader(k.body))
	if err != nil {
		return nil, err
	}
	req.Header = k.header
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream, application/x-ndjson")
	req.Header.Set("User-Agent", "ua-think/"+prog.Version())
	for name, value := range m.header {
		req.Header.Set(name, value)
	}
	return c.transport.RoundTrip(req)
}

// drain reads what stands behind the end of an answer, so that the connection
// can be used again, without making anybody wait.
func (c *client) drain(body io.ReadCloser, cancel context.CancelCauseFunc) {
	done := make(chan struct{})
	c.drained = done
	late := time.AfterFunc(time.Second, func() { cancel(nil) })
	go func() {
		defer close(done)
		io.CopyN(io.Discard, body, 64<<10)
		late.Stop()
		body.Close()
		cancel(nil)
	}()
}

// A patient reader restarts a timer each time that bytes come.
type patient struct {
	io.ReadCloser
	watch *time.Timer
	idle  time.Duration
	begun atomic.Bool
}

func (p *patient) Read(b []byte) (int, error) {
	n, err := p.ReadCloser.Read(b)
	if n > 0 {
		p.begun.Store(true)
		p.watch.Reset(p.idle)
	}
	return n, err
}

// because is err, or the reason for which the request was given up.
func because(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// unreachable is the failure of a request that brought no response.
func unreachable(m model, err error) *failure {
	if f := new(failure); errors.As(err, &f) {
		return f
	}
	f := &failure{msg: fmt.Sprintf("%s: %v", m.provider, err), status: prog.TryLater, retry: true}
	var dns *net.DNSError
	var op *net.OpError
	switch why := untrusted(err); {
	case why != "":
		f.retry, f.status, f.hint = false, prog.Trouble, why
	case errors.As(err, &op) && op.Op == "proxyconnect":
		f.hint = proxyHint
	case errors.As(err, &dns) && dns.IsNotFound:
		f.hint = "check the base URL and the network"
	case strings.Contains(err.Error(), "connection refused"):
		f.hint = "no server listens at " + m.base
	}
	return f
}

// untrusted says what to do about a server whose certificate does not hold, or
// that has none: no try more can help. It is "" for any other error.
func untrusted(err error) string {
	var (
		unknown x509.UnknownAuthorityError
		name    x509.HostnameError
		invalid x509.CertificateInvalidError
		other   *tls.CertificateVerificationError
		plain   tls.RecordHeaderError
	)
	switch {
	case errors.As(err, &unknown):
		return "the server's certificate is signed by nobody that this machine trusts (SSL_CERT_FILE names others)"
	case errors.As(err, &name):
		return "the server's certificate is for another name: check the base URL"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "check the clock of this machine, then that of the server's certificate"
	case errors.As(err, &other):
		return "the server's certificate does not hold: check the base URL"
	case errors.As(err, &plain):
		return "the server speaks no TLS: check the base URL, perhaps http:// is meant"
	}
	return ""
}

const proxyHint = "check the proxy that HTTPS_PROXY or HTTP_PROXY names; NO_PROXY names servers that need none"

// proxyRefused is the failure of a proxy that opens no tunnel.
func proxyRefused(_ context.Context, proxy *url.URL, _ *http.Request, resp *http.Response) error {
	if resp.StatusCode == http.StatusOK {
		return nil
	}
	f := &failure{msg: "the proxy " + proxy.Host + " answers: " + resp.Status, hint: proxyHint, status: prog.Trouble}
	if resp.StatusCode >= 500 {
		f.status, f.retry = prog.TryLater, true
	}
	return f
}

// hide takes the key out of words that came from outside. A key of a few
// letters, as servers without keys are given one, is no secret but a word.
func hide(m model, err error) error {
	var f *failure
	if len(m.key) >= 8 && errors.As(err, &f) {
		f.msg = strings.ReplaceAll(f.msg, m.key, "[key]")
	}
	return err
}
