// Package gateway has subagents reach a model: ua-think serve answers them with the key
// that they do not have.
package gateway

import (
	"os"
	"sync"

	"ua/cmd/ua/internal/outlet"
	"ua/cmd/ua/internal/runs"
	"ua/cmd/ua/internal/stage"
	"ua/internal/common/event"
	"ua/internal/common/run"
)

// A Gateway is the socket by which a run's subagents ask, and what it has answered. A nil
// one answers nobody.
type Gateway struct {
	*outlet.Outlet
	counted sync.Mutex
	seen    runs.Ledger
}

// Open makes the socket of a run.
func Open(r run.Run) (*Gateway, error) {
	o, err := outlet.Open(r, "gateway.sock")
	if err != nil {
		return nil, err
	}
	return &Gateway{Outlet: o}, nil
}

// Env returns what a command that starts ua is told of the gateway.
func (g *Gateway) Env() []string {
	if g == nil {
		return nil
	}
	return []string{run.EnvGateway + "=" + g.Path, run.EnvToken + "=" + g.Token}
}

// Serve has ua-think serve answer, with more options, and hands on what it writes: who asked,
// what the model proposed to whom, what it cost. failed is told why it can't be started.
func (g *Gateway) Serve(options []string, line func([]byte), failed func(error)) {
	args := append([]string{"serve", "--socket-fd", "3", "--token-fd", "4"}, options...)
	start := func() (*os.File, error) {
		c, err := stage.Builtin("ua-think", args...)
		if err != nil {
			return nil, err
		}
		return g.Start(c)
	}
	g.Outlet.Serve(start, func(text []byte) {
		if typ := event.Type(text); (typ == "model_request" || typ == "proposal") &&
			event.Valid(text) {
			g.note(text)
			line(text)
		}
	}, failed)
}

// note counts what the gateway says, at once: an agent can end before the journal has it.
func (g *Gateway) note(line []byte) {
	g.counted.Lock()
	defer g.counted.Unlock()
	g.seen.Add(line)
}

// Ledger returns what the gateway has seen so far; nil without one.
func (g *Gateway) Ledger() *runs.Ledger {
	if g == nil {
		return nil
	}
	g.counted.Lock()
	defer g.counted.Unlock()
	return g.seen.Clone()
}
