// Package httpgateway answers foreign programs, which speak a provider's own HTTP API, on the
// socket of a service. It adds the key, and holds them to the service's budget and models.
//
// Clients are not trusted. Of a request those members pass that the package knows (apis), and
// no others: what a provider may yet think of, that costs more or reaches out to others,
// cannot be asked for.
package httpgateway

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/eventgateway"
	"ua/cmd/ua-think/internal/transport"
	"ua/cmd/ua-think/internal/usage"
	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// Limits of requests, which are not trusted before they have come whole.
const (
	maxHeader  = 32 << 10 // bytes
	maxBody    = 32 << 20 // as Anthropic's API has it
	headerTime = 10 * time.Second
	bodyTime   = 30 * time.Second
)

// A gateway is the HTTP handler for the API of a service's model.
type gateway struct {
	*eventgateway.Service
	time      transport.Limits
	transport http.RoundTripper
}

// Serve has foreign programs answered on a service's socket, until ctx ends.
func Serve(ctx context.Context, s *eventgateway.Service, l net.Listener, limits transport.Limits) {
	t := transport.HTTP(limits)
	t.MaxIdleConnsPerHost = s.Budget.AtOnce
	t.ResponseHeaderTimeout = limits.ToBegin(s.Model)
	server := &http.Server{
		Handler:           &gateway{s, limits, t},
		ReadHeaderTimeout: headerTime, MaxHeaderBytes: maxHeader,
		ErrorLog: log.New(io.Discard, "", 0),
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, c)
		},
	}
	server.SetKeepAlivesEnabled(false) // so that a connection has one place, for one request
	q := &queue{l, ctx, make(chan net.Conn)}
	s.Foreign = func(c *eventgateway.Conn) {
		select {
		case q.conns <- c:
		case <-ctx.Done():
			c.Close()
		}
	}
	context.AfterFunc(ctx, func() { server.Close() })
	go server.Serve(q)
}

// connKey is the context key of the connection of a request.
type connKey struct{}

// A queue is the service's listener, with the connections that it hands on.
type queue struct {
	net.Listener
	ctx   context.Context
	conns chan net.Conn
}

// Accept returns the next connection.
func (q *queue) Accept() (net.Conn, error) {
	select {
	case c := <-q.conns:
		return c, nil
	case <-q.ctx.Done():
		return nil, net.ErrClosed
	}
}

// An exchange is one request and its answer.
type exchange struct {
	*gateway
	w      http.ResponseWriter
	r      *http.Request
	record *eventgateway.Record // of the log
}

// ServeHTTP answers one request. Its line is in the log before the client can know that
// the answer is complete.
func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := r.Context().Value(connKey{}).(*eventgateway.Conn)
	x := &exchange{g, w, r, &eventgateway.Record{Start: time.Now(), Method: r.Method,
		Path: r.URL.Path, Agent: eventgateway.Word(r.Header.Get("Ua-Run")), PID: c.Peer.PID,
		Depth: c.Peer.Depth()}}
	if refused := x.serve(c); refused != nil {
		x.record.Decision, x.record.Reason = "refused", refused.name
		x.record.Status = refused.status
		g.Log.Write(x.record)
		refused.write(w)
	}
}

// serve admits a request, and answers it. A request is held to its turn only when it has come
// whole, so that a slow client holds up nobody else.
func (x *exchange) serve(c *eventgateway.Conn) *refusal {
	// Clients of providers send a key in one of two headers.
	token, is := strings.CutPrefix(x.r.Header.Get("Authorization"), "Bearer ")
	if !is {
		token = x.r.Header.Get("X-Api-Key")
	}
	command, ok := x.Known(token)
	if !ok {
		return refuse(401, "token", "the gateway rejected this key")
	}
	path := strings.TrimPrefix(x.r.URL.Path, "/v1")
	if x.r.Method == http.MethodGet && path == "/models" {
		x.models()
		return nil
	}
	apis := slices.DeleteFunc(apis(), func(a api) bool {
		return x.r.Method != http.MethodPost || a.path != path || !x.Model.Serves(a.name)
	})
	switch {
	case len(apis) == 0:
		return refuse(404, "path", "this gateway does not pass on %.200q %.200q", x.r.Method, path)
	case x.MaxDepth > 0 && x.record.Depth > x.MaxDepth:
		return refuse(403, "depth", "an agent at depth %d may not ask: the limit is %d",
			x.record.Depth, x.MaxDepth)
	case x.Log.Broken():
		return refuse(503, "log", "the gateway can't write its log, so it answers nothing")
	}
	bounded := x.Metered(x.r.Body, maxBody)
	defer bounded.Forget()
	body, refused := x.read(bounded)
	if refused != nil {
		return refused
	}
	ctx, cancel := context.WithTimeout(x.r.Context(), x.time.Total)
	defer cancel()
	if !c.Place.Hold(ctx, command) {
		return refuse(429, "busy", "too many requests are waiting")
	}
	q, refused := x.question(apis[0], body)
	if refused != nil {
		return refused
	}
	q.Command = command
	return x.ask(ctx, cancel, q)
}

// read reads the body of a request, limited in time and in memory.
func (x *exchange) read(from io.Reader) ([]byte, *refusal) {
	control := http.NewResponseController(x.w)
	control.SetReadDeadline(time.Now().Add(bodyTime))
	body, err := io.ReadAll(from)
	switch {
	case errors.Is(err, eventgateway.ErrCrowded):
		return nil, refuse(429, "busy", "the requests being answered already take too much memory")
	case errors.Is(err, eventgateway.ErrTooLong):
		io.CopyN(io.Discard, x.r.Body, maxBody) // most clients look for an answer when all is sent
		return nil, refuse(413, "size", "the request is longer than %d MiB", maxBody>>20)
	case err != nil:
		return nil, refuse(400, "form", "the request is incomplete")
	}
	control.SetReadDeadline(time.Time{})
	return body, nil
}

// models answers with a list of the model that the gateway asks, which clients of every API read.
func (x *exchange) models() {
	text := []byte(`{"object":"list","data":[{"type":"model","object":"model","id":`)
	text = append(event.AppendString(text, x.Model.Name), `}]}`...)
	x.w.Header().Set("Content-Type", "application/json")
	x.w.Write(append(text, '\n'))
}

// ask reserves what a question can use, sends it and passes on the answer.
func (x *exchange) ask(ctx context.Context, cancel func(), q *question) *refusal {
	hold, over := x.Budget.Reserve(ctx, &q.Question)
	if over != nil && over.Status == prog.TryLater {
		return refuse(429, "busy", "%s", over.Error())
	} else if over != nil {
		return refuse(402, "budget", "%s", over.Error())
	}
	var used usage.Usage // what was reserved and not used is free again
	defer func() { x.Budget.Settle(hold, used) }()
	q.Answer = cmp.Or(hold.Answer, q.Answer)
	resp, err := x.send(ctx, q)
	if err != nil {
		return refuse(502, "network", "can't reach the provider: %s", x.Model.Hide(err.Error()))
	}
	defer resp.Body.Close()
	x.record.Status = resp.StatusCode
	x.begin(resp)
	if resp.StatusCode != http.StatusOK {
		x.Log.Write(x.record)
		text, _ := io.ReadAll(io.LimitReader(resp.Body, maxBody))
		io.WriteString(x.w, x.Model.Hide(string(text)))
		return nil
	}
	out := event.NewOutbox(io.Discard)
	defer out.Close(0)
	a := &answer.Answer{Out: out, Limits: x.Options.Answer, IDs: map[string]bool{}}
	to := &client{x, http.NewResponseController(x.w), time.AfterFunc(x.time.Idle, cancel)}
	defer to.late.Stop()
	from := io.TeeReader(resp.Body, to)
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json") {
		text, _ := io.ReadAll(io.LimitReader(from, maxBody))
		q.model.DecodeWhole(text, a)
	} else {
		q.model.Decode(from, a)
	}
	_, cut := io.Copy(io.Discard, from) // what follows the end
	used = x.charge(q, a)
	x.Log.Write(x.record)
	if cut != nil {
		panic(http.ErrAbortHandler) // the client must see it
	}
	return nil
}

// tokensPerSecond is about how many a model makes, with the thoughts that it does not show.
const tokensPerSecond = 100

// charge records what an answer said and used: what the provider has reported or, where it
// could not, as when the client has gone away, an estimate.
func (x *exchange) charge(q *question, a *answer.Answer) usage.Usage {
	a.Usage.Assume(q.Prompt, a.Size(), a.Stop == "")
	if thought := int64(time.Since(x.record.Start).Seconds() * tokensPerSecond); a.Stop == "" {
		a.Usage.Output = max(a.Usage.Output, min(thought, cmp.Or(q.Answer, thought)))
	}
	if q.Price != nil {
		a.Usage.Cost, a.Usage.Priced = q.Price.Cost(a.Usage), true
	}
	x.record.Usage, x.record.Stop = a.Usage, cmp.Or(a.Stop, "interrupted")
	for _, b := range a.Blocks {
		if b.Kind == answer.Call {
			x.record.Propose(b.ID, b.Name, b.Input())
		}
	}
	return a.Usage
}

// send sends a question to the provider with its key, and the bound on its answer. No header
// of the client passes.
func (x *exchange) send(ctx context.Context, q *question) (*http.Response, error) {
	if q.Answer > 0 {
		q.body = fmt.Appendf(q.body, `,"%s":%d`, q.limit, q.Answer)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, q.model.URL(),
		bytes.NewReader(append(q.body, '}')))
	if err != nil {
		return nil, err
	}
	req.Header = q.model.Headers()
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "ua-think/"+prog.Version())
	return x.transport.RoundTrip(req)
}

// begin sends the head of an answer. Of the provider's headers a client gets what it needs,
// and nothing about the account.
func (x *exchange) begin(resp *http.Response) {
	for _, name := range []string{"Content-Type", "Request-Id", "X-Request-Id", "Retry-After",
		"Retry-After-Ms", "X-Should-Retry"} {
		if v := resp.Header.Get(name); v != "" {
			x.w.Header().Set(name, v)
		}
	}
	x.w.WriteHeader(resp.StatusCode)
}

// A client gets an answer as it is decoded. If nothing comes for long, late ends it.
type client struct {
	*exchange
	control *http.ResponseController
	late    *time.Timer
}

// Write passes on a piece.
func (c *client) Write(b []byte) (int, error) {
	c.late.Reset(c.time.Idle)
	c.control.SetWriteDeadline(time.Now().Add(eventgateway.WriteTime))
	n, err := c.w.Write(b)
	return n, cmp.Or(err, c.control.Flush())
}
