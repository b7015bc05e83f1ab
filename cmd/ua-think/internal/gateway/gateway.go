// Package gateway serves the HTTP API of a provider to programs without a key. It adds
// the key, holds all clients to one budget, and logs what they asked for and which calls
// the model proposed to them.
//
// Clients are not trusted. What they send is bounded in size, time and number before it
// is read further. Only questions to the model and lists of models are passed on, and of
// questions only those that the provider answers without reaching out to others.
package gateway

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/provider"
	"ua/cmd/ua-think/internal/transport"
	"ua/cmd/ua-think/internal/usage"
	"ua/internal/common/prog"
)

// A Gateway is the HTTP handler for the API of one provider.
type Gateway struct {
	Model    provider.Model // what is asked when a client names nothing; with its key
	Prices   map[string]usage.Price
	Budget   *Budget
	Log      *Log
	Token    string   // what a client must give as its key; "" for none
	Allow    []string // patterns (path.Match) of the models' names that may be asked; all if empty
	MaxDepth int      // agents below the one that started the gateway; 0 for no limit
	Hosted   bool     // the provider may run tools and fetch addresses for clients
	Time     transport.Limits
	Answer   answer.Limits

	transport http.RoundTripper
	conns     connections
	slots     chan struct{} // one for each request that is answered
	bodies    atomic.Int64  // bytes of requests in memory
	served    atomic.Int64
}

// New returns a Gateway that answers at most atOnce requests at the same time.
func New(m provider.Model, atOnce int, l transport.Limits) *Gateway {
	t := transport.HTTP(l, m.Gateway)
	t.MaxIdleConnsPerHost = atOnce
	t.ResponseHeaderTimeout = l.ToBegin(m)
	return &Gateway{Model: m, Time: l, transport: t, slots: make(chan struct{}, atOnce)}
}

// An exchange is one request and its answer.
type exchange struct {
	w     http.ResponseWriter
	r     *http.Request
	route provider.Route
	entry *Entry // of the log
	body  []byte
	used  usage.Usage
}

// ServeHTTP answers one request. Its line is in the log before the client can know that
// the answer is complete.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	peer, _ := r.Context().Value(peerKey{}).(Peer)
	x := &exchange{w: w, r: r, entry: &Entry{
		Start: time.Now(), Method: r.Method, Path: r.URL.Path,
		Agent: word(r.Header.Get(provider.AgentHeader)), PID: peer.PID, Depth: peer.Depth(),
	}}
	refused := g.admit(x)
	switch {
	case refused != nil:
	case x.route.Model.Base == "":
		g.tell(w)
		return
	default:
		refused = g.serve(x)
	}
	if refused != nil {
		x.entry.refuse(refused)
		g.Log.Write(x.entry)
		refused.write(w, g.asked(x.route))
	}
}

// admit checks a request before its body is read, and finds its route. A route without a
// base is the request GET /ua, which asks what this gateway is.
func (g *Gateway) admit(x *exchange) *refusal {
	if !g.known(x.r) {
		return refuse(reasonToken, "the gateway refuses this key")
	}
	method, path, depth := x.r.Method, x.r.URL.Path, x.entry.Depth
	if method == http.MethodGet && path == "/ua" {
		return nil
	}
	var ok bool
	x.route, ok = g.Model.RouteOf(method, path)
	switch {
	case !ok:
		return refuse(reasonRoute, "this gateway does not pass on %s %s", method, word(path))
	case g.MaxDepth > 0 && depth > g.MaxDepth:
		return refuse(reasonDepth, "an agent at depth %d may not ask: the limit is %d", depth,
			g.MaxDepth)
	case g.Log.Broken():
		return refuse(reasonLog, "the gateway can't write its log, so it answers nothing")
	}
	return nil
}

// known reports whether the client gives the gateway's token, in any of the headers in
// which providers' clients send a key. The comparison takes the same time for every
// token.
func (g *Gateway) known(r *http.Request) bool {
	if g.Token == "" {
		return true
	}
	given := r.Header.Get("X-Api-Key")
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		given = bearer
	}
	return subtle.ConstantTimeCompare([]byte(given), []byte(g.Token)) == 1
}

// serve passes a request on. A request takes a slot only when it has arrived completely,
// so that a slow client holds up nobody else.
func (g *Gateway) serve(x *exchange) *refusal {
	refused := g.read(x)
	defer func() { g.bodies.Add(-int64(len(x.body))) }()
	if refused != nil {
		return refused
	}
	if conn, ok := x.r.Context().Value(connKey{}).(net.Conn); ok {
		g.conns.keep(conn)
	}
	select {
	case g.slots <- struct{}{}:
		defer func() { <-g.slots }()
	case <-time.After(slotTime):
		return refuse(reasonBusy, "already answering %d requests", cap(g.slots))
	case <-x.r.Context().Done():
		return refuse(reasonGone, "the client has gone")
	}
	g.served.Add(1)
	ctx, cancel := context.WithTimeout(x.r.Context(), g.Time.Total)
	defer cancel()
	if x.r.Method == http.MethodGet {
		return g.pass(ctx, x)
	}
	sum := sha256.Sum256(x.body)
	x.entry.SHA256 = hex.EncodeToString(sum[:])
	q, refused := g.inspect(x.route.Model, x.body)
	if refused != nil {
		return refused
	}
	x.entry.Model = q.model.Spec()
	if !x.route.Asks {
		return g.pass(ctx, x)
	}
	hold, refused := g.Budget.reserve(ctx, q)
	if refused != nil {
		return refused
	}
	// Whatever happens, what was reserved and not used is free again.
	defer func() { g.Budget.settle(hold, x.used) }()
	sent, refused := q.bounded(hold)
	if refused != nil {
		return refused
	}
	return g.relay(ctx, x, sent)
}

// Ready writes to the log that the gateway now answers at an address. token is the one
// that the gateway has made up itself, or "".
func (g *Gateway) Ready(at net.Addr, token string) {
	socket, url := at.String(), ""
	if at.Network() != "unix" {
		socket, url = "", "http://"+at.String()
	}
	g.Log.Ready(g.about(), socket, url, token)
}

// tell answers GET /ua.
func (g *Gateway) tell(w http.ResponseWriter) {
	text, _ := json.Marshal(g.about()) // names and numbers always encode
	w.Header().Set("Content-Type", "application/json")
	w.Write(append(text, '\n'))
}

// about describes the gateway as it is now.
func (g *Gateway) about() About {
	limit, left := g.Budget.left()
	return About{
		Provider: g.Model.Provider, API: g.Model.API, Model: g.Model.Spec(), MaxDepth: g.MaxDepth,
		AtOnce: cap(g.slots), BudgetTokens: limit.Tokens, BudgetUSD: limit.USD,
		TokensLeft: left.Tokens, USDLeft: left.USD, Requests: g.served.Load(), Version: prog.Version(),
	}
}

// An About is the answer to GET /ua. A limit of 0 means no limit.
type About struct {
	Provider     string  `json:"provider"`
	API          string  `json:"api"`
	Model        string  `json:"model"` // PROVIDER/NAME to ask when nothing else is wanted
	MaxDepth     int     `json:"max_depth"`
	AtOnce       int     `json:"max_requests"`
	BudgetTokens int64   `json:"budget_tokens"`
	BudgetUSD    float64 `json:"budget_usd"`
	TokensLeft   int64   `json:"tokens_left"` // of the budget, if there is one
	USDLeft      float64 `json:"usd_left"`
	Requests     int64   `json:"requests"` // so far
	Version      string  `json:"version"`
}

// asked returns the model in the form of whose API an error is sent.
func (g *Gateway) asked(route provider.Route) provider.Model {
	if route.Model.API != "" {
		return route.Model
	}
	return g.Model
}
