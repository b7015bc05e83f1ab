package main

import (
	"os"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"

	"ua/cmd/ua/internal/outlet"
	"ua/cmd/ua/internal/runs"
	"ua/cmd/ua/internal/stage"
	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/run"
)

// A gateway is how subagents reach a model: ua-think serve answers with the key that they
// do not have.
type gateway struct {
	*outlet.Outlet
	counted sync.Mutex
	seen    runs.Ledger // what it has answered
}

// openGateway makes the socket, where subagents could come to be.
func (l *loop) openGateway() error {
	if !l.o.mayDelegate() || l.o.run != "" || l.o.think != "" || l.o.via != "" {
		return nil
	}
	o, err := outlet.Open(l.run, "gateway.sock")
	if err != nil {
		return err
	}
	l.gateway = &gateway{Outlet: o}
	return nil
}

// env returns what a command that starts ua is told of the gateway.
func (g *gateway) env() []string {
	if g == nil {
		return nil
	}
	return []string{run.EnvGateway + "=" + g.Path, run.EnvToken + "=" + g.Token}
}

// serveGateway has ua-think serve answer. What that writes goes into the journal: who asked,
// what the model proposed to whom, what it cost.
func (l *loop) serveGateway() {
	g := l.gateway
	start := func() (*os.File, error) {
		c, err := stage.Builtin("ua-think", l.serverArgs()...)
		if err != nil {
			return nil, err
		}
		return g.Start(c)
	}
	g.Serve(start, func(line []byte) {
		if typ := event.Type(line); (typ == "model_request" || typ == "proposal") &&
			event.Valid(line) {
			g.note(line)
			l.toJournal.Offer(line)
		}
	}, func(err error) { l.env.Warnf("the subagents' gateway: %v", err) })
}

// serverArgs holds all subagents together to the budget of the run, and lets in
// those that may be as deep as they are.
func (l *loop) serverArgs() []string {
	o := l.o
	args := []string{"serve", "--socket-fd", "3", "--token-fd", "4", "--max-depth",
		strconv.Itoa(o.maxDepth - 1),
		"--max-requests", strconv.Itoa(max(o.limits.AtOnce, o.limits.PerParent))}
	if o.model != "" {
		args = append(args, "--model", o.model)
	}
	if o.budgetTokens > 0 {
		args = append(args, "--budget-tokens", strconv.FormatInt(o.budgetTokens, 10))
	}
	if o.budgetUSD > 0 {
		args = append(args, "--budget-usd", strconv.FormatFloat(o.budgetUSD, 'g', -1, 64))
	}
	return args
}

// note counts what the gateway says, at once: an agent can end before the journal has it.
func (g *gateway) note(line []byte) {
	g.counted.Lock()
	defer g.counted.Unlock()
	g.seen.Add(line)
}

// ledger returns what the gateway has seen so far; nil without one.
func (g *gateway) ledger() *runs.Ledger {
	if g == nil {
		return nil
	}
	g.counted.Lock()
	defer g.counted.Unlock()
	return g.seen.Clone()
}

// checkBudget ends the run when the tree has taken what it may: neither the gateway nor
// ua-think sees what the run, its judge and its subagents take together.
func (l *loop) checkBudget() {
	if why := l.overspent(); why != "" && !l.over {
		l.interrupt(outcome{prog.Limit, "ua", why, false}, unix.SIGTERM)
	}
}
