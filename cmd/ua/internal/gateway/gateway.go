// Package gateway lets programs without a key reach a model: subagents, and the judge of a
// gate. Their requests are answered by ua-think serve, outside of the sandbox, with the key
// that they do not have.
package gateway

import (
	"fmt"
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"ua/cmd/ua/internal/outlet"
	"ua/cmd/ua/internal/runs"
	"ua/cmd/ua/internal/stage"
	"ua/internal/common/event"
	"ua/internal/common/run"
)

// A Gateway is the socket on which programs of a run reach a model, and the ledger of what
// it has answered. A nil Gateway answers nobody.
type Gateway struct {
	*outlet.Outlet
	counted sync.Mutex
	seen    runs.Ledger

	sharing sync.Mutex
	others  runs.Spent // what Spent was told last
	before  runs.Spent // by those that answered before the one that answers now
	told    *os.File   // where that one reads the sum, nil before there is one
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
		spent, err := g.share()
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
// It does not wait: each line stands for those before it.
func (g *Gateway) Spent(tokens int64, usd float64) {
	if g == nil {
		return
	}
	g.sharing.Lock()
	defer g.sharing.Unlock()
	g.others = runs.Spent{TokensIn: tokens, CostUSD: usd}
	if g.told == nil {
		return
	}
	if raw, err := g.told.SyscallConn(); err == nil {
		raw.Write(func(fd uintptr) bool {
			unix.Write(int(fd), g.spentLine())
			return true
		})
	}
}

// share returns where one that begins to answer reads what was spent. What those before it
// have answered is spent by others, too.
func (g *Gateway) share() (*os.File, error) {
	p, err := stage.Pipe()
	if err != nil {
		return nil, err
	}
	g.sharing.Lock()
	defer g.sharing.Unlock()
	if g.told != nil {
		g.told.Close()
	}
	g.told, g.before = p.W, g.Ledger().All
	_, err = p.W.Write(g.spentLine())
	return p.R, err
}

// spentLine returns a line of --spent-fd (ua-think(1)).
func (g *Gateway) spentLine() []byte {
	return fmt.Appendf(nil, `{"tokens":%d,"cost_usd":%g}`+"\n",
		g.others.Tokens()+g.before.Tokens(), g.others.CostUSD+g.before.CostUSD)
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
