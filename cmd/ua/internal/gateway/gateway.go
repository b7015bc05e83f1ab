// Package gateway lets programs without a key reach a model: subagents, and the judge of a
// gate. Their requests are answered by ua-think serve, outside of the sandbox, with the key
// that they do not have.
package gateway

import (
	"os"
	"sync"

	"ua/cmd/ua/internal/outlet"
	"ua/cmd/ua/internal/runs"
	"ua/cmd/ua/internal/stage"
	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/spending"
)

// A Gateway is the socket on which programs of a run reach a model, and the ledger of what
// it has answered. A nil Gateway answers nobody.
type Gateway struct {
	*outlet.Outlet
	counted sync.Mutex
	seen    runs.Ledger
	others  spending.Others
}

// Open creates a socket with that name for a run.
func Open(r run.Run, name string) (*Gateway, error) {
	o, err := outlet.Open(r, name)
	if err != nil {
		return nil, err
	}
	return &Gateway{Outlet: o}, nil
}

// Env returns the variables that tell a command of the gateway; none without one.
func (g *Gateway) Env() []string {
	if g == nil {
		return nil
	}
	return []string{run.EnvGateway + "=" + g.Path, run.EnvToken + "=" + g.Token}
}

// Serve lets ua-think serve answer on the socket, with the options, and with keys, which are
// variables of its environment. line is called with each event that it prints: who asked,
// what the model proposed and what it cost. failed is called if it cannot be started.
func (g *Gateway) Serve(options, keys []string, line func([]byte), failed func(error)) {
	args := append([]string{"serve", "--socket-fd", "3", "--token-fd", "4", "--spent-fd", "5"},
		options...)
	start := func() (*os.File, error) {
		c, err := stage.Builtin("ua-think", args...)
		if err != nil {
			return nil, err
		}
		c.Env = append(c.Env, keys...)
		spent, err := g.spent()
		if err != nil {
			return nil, err
		}
		return g.Start(c, spent)
	}
	g.Outlet.Serve(start, func(text []byte) {
		if typ := event.Type(text); (typ == "model_request" || typ == "proposal") &&
			event.Valid(text) {
			g.note(text)
			line(text)
		}
	}, failed)
}

// Spent tells the one that answers what others have spent of the budget that they share.
func (g *Gateway) Spent(s spending.Sum) {
	if g != nil {
		g.others.Spent(s)
	}
}

// spent returns where one that begins to answer reads what others have spent.
func (g *Gateway) spent() (*os.File, error) {
	f, err := g.others.Open(g.Ledger().All.Sum())
	if err != nil {
		return nil, prog.Errorf(stage.StartStatus(err), "%w", err)
	}
	return f, nil
}

// note counts an event at once. An agent can end before the journal has the event.
func (g *Gateway) note(line []byte) {
	g.counted.Lock()
	defer g.counted.Unlock()
	g.seen.Add(line)
}

// Ledger returns a copy of what the gateway has seen so far, nil without a gateway.
func (g *Gateway) Ledger() *runs.Ledger {
	if g == nil {
		return nil
	}
	g.counted.Lock()
	defer g.counted.Unlock()
	return g.seen.Clone()
}
