// Package transport sends requests to a provider's server and reads the answers, over a
// connection that it keeps open.
package transport

import (
	"bytes"
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/failure"
	"ua/cmd/ua-think/internal/provider"
	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// Limits bound how long an answer may take.
type Limits struct {
	Connect time.Duration // for a connection
	First   time.Duration // for the answer to begin; 0: by the server's place
	Idle    time.Duration // for a pause in the answer
	Total   time.Duration // for the whole answer
	Quiet   time.Duration // until a person is told that an answer has not begun
}

// A Client sends requests, one at a time.
type Client struct {
	Limits Limits
	Note   func(format string, a ...any) // tells people, who may wait; may be nil

	transport *http.Transport
	roots     sync.Once
	drained   chan struct{} // closed when the last response's end has been read
}

// New returns a Client.
func New(l Limits) *Client { return &Client{Limits: l, transport: HTTP(l)} }

// Another returns a Client that asks over the same connections, at the same time.
func (c *Client) Another() *Client { return &Client{Limits: c.Limits, transport: c.transport} }

// HTTP returns the transport of a Client, which can serve any number of requests at once.
func HTTP(l Limits) *http.Transport {
	dialer := &net.Dialer{Timeout: l.Connect}
	return &http.Transport{
		DialContext:            dialer.DialContext,
		TLSHandshakeTimeout:    l.Connect,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		MaxIdleConnsPerHost:    2,
		WriteBufferSize:        64 << 10, // most requests are one write
		Proxy:                  http.ProxyFromEnvironment,
		OnProxyConnectResponse: proxyRefused,
	}
}

// Warm starts loading the system's certificates in the background, if url needs them.
// That takes longer than everything else that prepares a request.
func (c *Client) Warm(url string) {
	if strings.HasPrefix(url, "https:") {
		c.roots.Do(func() { go x509.SystemCertPool() })
	}
}

// Ask sends a request and feeds its answer to a. The error is a *failure.Failure or the
// cause that ended ctx. Timers watch over the beginning, the pauses and the whole of the
// answer, and end it through the context with their own cause.
func (c *Client) Ask(
	ctx context.Context, m provider.Model, body provider.Body, a *answer.Answer,
) error {
	c.Warm(m.URL())
	ctx, cancel := context.WithCancelCause(ctx)
	stream := &idleReader{idle: c.Limits.Idle}
	total := time.AfterFunc(c.Limits.Total, func() { cancel(tooLong(c.Limits.Total)) })
	stream.watch = time.AfterFunc(c.Limits.ToBegin(m), func() {
		cancel(c.stalled(m, stream.begun.Load()))
	})
	if c.Note != nil {
		go c.reassure(ctx, m, stream)
	}
	err := c.answer(ctx, request{m, http.MethodPost, m.URL(), body}, a, stream)
	total.Stop()
	stream.watch.Stop()
	if err != nil {
		err = explained(m, Because(ctx, err))
		cancel(nil)
		return err
	}
	c.drain(stream.ReadCloser, cancel)
	return nil
}

// A request is what is sent to the server of a model.
type request struct {
	model  provider.Model
	method string
	url    string
	body   []byte
}

// answer sends a request and decodes the response through stream.
func (c *Client) answer(
	ctx context.Context, r request, a *answer.Answer, stream *idleReader,
) error {
	m := r.model
	resp, err := c.send(ctx, r)
	if err != nil {
		return unreachable(m, err)
	}
	if resp.StatusCode != http.StatusOK {
		defer resp.Body.Close()
		text, _ := io.ReadAll(io.LimitReader(resp.Body, maxError))
		return failure.HTTP(m.Provider, resp, text)
	}
	stream.ReadCloser = resp.Body
	typ := resp.Header.Get("Content-Type")
	if strings.HasPrefix(typ, "application/json") || strings.HasPrefix(typ, "text/html") {
		defer resp.Body.Close()
		return whole(m, typ, stream, a)
	}
	if err := m.Decode(stream, a); err != nil {
		resp.Body.Close()
		return err
	}
	return nil
}

// whole reads a response that is no stream: an answer in one piece, as some servers give in
// spite of the request, an error, or something else altogether.
func whole(m provider.Model, typ string, body io.Reader, a *answer.Answer) error {
	text, err := io.ReadAll(io.LimitReader(body, int64(a.Limits.Event)))
	if err != nil {
		return failure.CutOff(err)
	}
	f := new(failure.Failure)
	if strings.HasPrefix(typ, "application/json") && event.ValidJSON(text) {
		if err := m.DecodeWhole(text, a); !errors.As(err, &f) || a.Began || !f.Cut {
			return err
		}
	}
	return noStream(m, typ, text)
}

// send makes the HTTP request. It follows no redirect: a key goes only where the user has
// sent it. It first gives the last response a moment to be read to its end, so that the
// connection can be used again.
func (c *Client) send(ctx context.Context, r request) (*http.Response, error) {
	if c.drained != nil {
		select {
		case <-c.drained:
		case <-time.After(50 * time.Millisecond):
		}
	}
	req, err := http.NewRequestWithContext(ctx, r.method, r.url, bytes.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	req.Header = r.model.Headers()
	for name, value := range map[string]string{
		"Content-Type": "application/json",
		"Accept":       "text/event-stream, application/x-ndjson",
		"User-Agent":   "ua-think/" + prog.Version(),
	} {
		if req.Header.Get(name) == "" {
			req.Header.Set(name, value)
		}
	}
	return c.transport.RoundTrip(req)
}

// Fetch fetches a list or a description from m's server, at most 16 MiB, by GET or, with
// post, by POST.
func (c *Client) Fetch(
	ctx context.Context, m provider.Model, url string, post []byte,
) ([]byte, error) {
	r := request{m, http.MethodGet, url, post}
	if post != nil {
		r.method = http.MethodPost
	}
	ctx, cancel := context.WithTimeout(ctx, c.Limits.ToBegin(m))
	defer cancel()
	c.Warm(url)
	resp, err := c.send(ctx, r)
	if err != nil {
		return nil, explained(m, unreachable(m, err))
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 16<<20))
	if err != nil {
		return nil, failure.CutOff(err)
	}
	if resp.StatusCode != http.StatusOK {
		return nil, explained(m, failure.HTTP(m.Provider, resp, body))
	}
	return body, nil
}

// drain reads what follows the end of an answer in the background, so that the connection
// can be used again without anybody waiting.
func (c *Client) drain(body io.ReadCloser, cancel context.CancelCauseFunc) {
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

// How long an answer may take to begin unless the user says: a server on this machine
// may have to load the model first.
const (
	defaultFirst      = time.Minute
	defaultFirstLocal = 5 * time.Minute
)

// ToBegin returns how long an answer of m may take to begin: First if that is given, or
// the default.
func (l Limits) ToBegin(m provider.Model) time.Duration {
	switch {
	case l.First > 0:
		return l.First
	case m.Local():
		return defaultFirstLocal
	}
	return defaultFirst
}

// An idleReader restarts a timer each time that bytes come.
type idleReader struct {
	io.ReadCloser
	watch *time.Timer
	idle  time.Duration
	begun atomic.Bool
}

// Read reads from the stream. From the first bytes on, the timer is that for pauses.
func (p *idleReader) Read(b []byte) (int, error) {
	n, err := p.ReadCloser.Read(b)
	if n > 0 {
		p.begun.Store(true)
		p.watch.Reset(p.idle)
	}
	return n, err
}

// stalled returns the failure of an answer that takes too long to begin, or to go on.
func (c *Client) stalled(m provider.Model, begun bool) error {
	f := &failure.Failure{
		Msg:    "no answer from " + m.Provider + " in " + c.Limits.ToBegin(m).String(),
		Hint:   "--first-timeout gives it more time",
		Status: prog.TryLater, Retry: true,
	}
	if begun {
		f.Msg = "no data from the model for " + c.Limits.Idle.String()
		f.Hint = "--idle-timeout gives it more time"
	}
	return f
}

// tooLong returns the failure of an answer that takes more than the time for all of
// it.
func tooLong(limit time.Duration) error {
	return &failure.Failure{
		Msg:  "the model's answer took longer than " + limit.String(),
		Hint: "--timeout raises the limit", Status: prog.Limit,
	}
}

// Because returns err, or the reason for which the request was given up.
func Because(ctx context.Context, err error) error {
	return cmp.Or(context.Cause(ctx), err)
}

// reassure tells the user that the model has not begun to answer: after the time Quiet,
// and again each time the wait has doubled.
func (c *Client) reassure(ctx context.Context, m provider.Model, stream *idleReader) {
	for waited, wait := time.Duration(0), c.Limits.Quiet; ; wait = waited {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		if waited += wait; stream.begun.Load() {
			return
		}
		c.Note("no answer from %s for %v, waiting", m.Spec(), waited)
	}
}
