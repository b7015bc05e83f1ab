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
	"ua/cmd/ua-think/internal/budget"

	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/provider"
	"ua/cmd/ua-think/internal/transport"
	"ua/cmd/ua-think/internal/usage"
	"ua/internal/common/places"
	"ua/internal/common/prog"
	"ua/internal/common/run"
)

// A Gateway is the HTTP handler for the API of one provider.
type Gateway struct {
	Model    provider.Model // what is asked when a client names nothing; with its key
	Prices   map[string]usage.Price
	Budget   *budget.Budget
	Log      *Log
	Token    string   // what a client must give as its key; "" for none
	Allow    []string // other models that may be asked: patterns (path.Match) of names
	MaxDepth int      // agents below the one that started the gateway; 0 for no limit
	Hosted   bool     // the provider may run tools and fetch addresses for clients
	Time     transport.Limits
	Answer   answer.Limits

	transport http.RoundTripper
	places    places.Set // of connections and of requests that are answered
	bodies    bodies
	served    atomic.Int64
}

// New returns a Gateway that answers at most atOnce requests at the same time.
func New(m provider.Model, atOnce int, l transport.Limits) *Gateway {
	t := transport.HTTP(l)
	t.MaxIdleConnsPerHost = atOnce
	t.ResponseHeaderTimeout = l.ToBegin(m)
	return &Gateway{Model: m, Time: l, transport: t, places: places.Set{Most: atOnce,
		Open: maxConns, Young: young, Share: share(atOnce), Wait: maxConns}}
}

// An exchange is one request and its answer.
type exchange struct {
	w      http.ResponseWriter
	r      *http.Request
	client string // who asks; "" if that can't be told
	route  provider.Route
	record *Record // of the log
	body   []byte
	used   usage.Usage
}

// ServeHTTP answers one request. Its line is in the log before the client can know that
// the answer is complete.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var peer Peer
	if c := connOf(r); c != nil {
		peer = c.peer
	}
	x := &exchange{w: w, r: r, record: &Record{
		Start: time.Now(), Method: r.Method, Path: r.URL.Path,
		Agent: word(r.Header.Get("Ua-Run")), PID: peer.PID, Depth: peer.Depth(),
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
		x.record.refuse(refused)
		g.Log.Write(x.record)
		refused.write(w, g.asked(x.route))
	}
}

// admit checks a request before its body is read, and finds its route. A route without a
// base is the request GET /ua, which asks what this gateway is.
func (g *Gateway) admit(x *exchange) *refusal {
	command, ok := g.known(x.r)
	if !ok {
		return refuse(reasonToken, "the gateway refuses this key")
	}
	x.client = clientName(command, x.record.PID)
	method, path, depth := x.r.Method, x.r.URL.Path, x.record.Depth
	if method == http.MethodGet && path == "/ua" {
		return nil
	}
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

// known reports whether the client gives the gateway's token, or that of a command, whose
// ID it returns. Clients of providers send a key in one of several headers. The comparison
// takes the same time for every token.
func (g *Gateway) known(r *http.Request) (command string, ok bool) {
	if g.Token == "" {
		return "", true
	}
	given := r.Header.Get("X-Api-Key")
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		given = bearer
	}
	if command, ok = run.CommandOf(g.Token, given); ok {
		return command, true
	}
	return "", subtle.ConstantTimeCompare([]byte(given), []byte(g.Token)) == 1
}

// serve passes a request on. A request is held to its turn only when it has arrived
// completely, so that a slow client holds up nobody else.
func (g *Gateway) serve(x *exchange) *refusal {
	refused := g.read(x)
	defer func() { g.bodies.add(x.client, -len(x.body)) }()
	if refused != nil {
		return refused
	}
	if refused := g.await(x); refused != nil {
		return refused
	}
	g.served.Add(1)
	ctx, cancel := context.WithTimeout(x.r.Context(), g.Time.Total)
	defer cancel()
	if x.r.Method == http.MethodGet {
		return g.pass(ctx, x)
	}
	sum := sha256.Sum256(x.body)
	x.record.SHA256 = hex.EncodeToString(sum[:])
	q, refused := g.inspect(x.route.Model, x.body)
	if refused != nil {
		return refused
	}
	x.record.Model = q.model.Spec()
	if !x.route.Asks {
		return g.pass(ctx, x)
	}
	hold, over := g.Budget.Reserve(ctx, &q.Question)
	if over != nil && over.Status == prog.TryLater {
		return refuse(reasonBusy, "%s", over.Error())
	} else if over != nil {
		return refuse(reasonBudget, "%s", over.Error())
	}
	// Whatever happens, what was reserved and not used is free again.
	defer func() { g.Budget.Settle(hold, x.used) }()
	sent, refused := q.bounded(hold)
	if refused != nil {
		return refused
	}
	return g.relay(ctx, x, sent)
}

// Ready writes to the log that the gateway now answers at an address. token is the one
// that it has made up itself, or "".
func (g *Gateway) Ready(at net.Addr, token string) { g.Log.Ready(g.about(), at, token) }

// tell answers GET /ua.
func (g *Gateway) tell(w http.ResponseWriter) {
	text, _ := json.Marshal(g.about()) // names and numbers always encode
	w.Header().Set("Content-Type", "application/json")
	w.Write(append(text, '\n'))
}

// about describes the gateway as it is now.
func (g *Gateway) about() About {
	limit, left := g.Budget.Left()
	return About{
		Provider: g.Model.Provider, API: g.Model.API, Model: g.Model.Spec(), MaxDepth: g.MaxDepth,
		AtOnce: g.places.Most, BudgetTokens: limit.Tokens, BudgetUSD: limit.USD,
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
