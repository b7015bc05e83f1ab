package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"time"

	"ua/internal/common/config"
	"ua/internal/common/prog"
	"ua/internal/common/spending"
)

// The options' defaults (ua-shell(1)).
const (
	defaultLines      = 200 // of the session that the model is told
	defaultAskTimeout = config.AskTimeout
)

// settings are the tables of config.toml that ua-shell reads (ua-config(5)).
type settings struct {
	UA config.Agent `toml:"ua"`
}

// options are what the flags say.
type options struct {
	shell, debug, model string
	sandbox             string // the profile, "" for none
	write, netAllow     []string
	lines               int
	effort              string
	ask                 time.Duration
	ua                  config.Agent // what bounds the agent, and what stands in for its stages
	noAgent             bool
	args                []string // of the shell
}

// bounds declares the options that bound what the agent asks and runs.
func (o *options) bounds(fs *flag.FlagSet) {
	fs.StringVar(&o.effort, "effort", "", "")
	prog.Number(fs, &o.ua.ContextTokens, "context-tokens", 0, 1000, 0)
	prog.Number(fs, &o.ua.BudgetTokens, "budget-tokens", 0, 1, 0)
	prog.Amount(fs, &o.ua.BudgetUSD, "budget-usd", 0)
	prog.Number(fs, &o.ua.MaxTurns, "max-turns", 0, 1, 0)
	prog.Number(fs, &o.ua.MaxCommands, "max-commands", 0, 1, 0)
	prog.Duration(fs, &o.ask, "ask-timeout", defaultAskTimeout, 0)
}

// configure fills in what the command line leaves open from config.toml. The files of the
// projects around the folder in which the session begins can only narrow it.
func (o *options) configure(env *prog.Env) error {
	var s, p settings
	if err := config.Load(&s); err != nil {
		return err
	}
	if err := s.UA.Complete(config.Path()); err != nil {
		return err
	}
	for _, path := range config.Projects() {
		p = settings{}
		err := config.LoadProject(path, &p, func(w string) { env.Warnf("%s", w) })
		if err != nil {
			return err
		}
		if err := p.UA.Check(path); err != nil {
			return err
		}
		s.UA.Narrow(&p.UA)
	}
	said := o.ua
	o.ua = s.UA
	o.ua.ContextTokens = cmp.Or(said.ContextTokens, o.ua.ContextTokens)
	o.ua.BudgetTokens = cmp.Or(said.BudgetTokens, o.ua.BudgetTokens)
	o.ua.BudgetUSD = cmp.Or(said.BudgetUSD, o.ua.BudgetUSD)
	o.ua.MaxTurns = cmp.Or(said.MaxTurns, o.ua.MaxTurns)
	o.ua.MaxCommands = cmp.Or(said.MaxCommands, o.ua.MaxCommands)
	return nil
}

// terms returns what the session was started with, as the options of ua (ua-events(5), run):
// a run that goes on with its conversation has them, and asks as the session does. What
// bounds an instruction begins anew with each.
func (o *options) terms() []byte {
	b, err := json.Marshal(struct {
		Ask           bool     `json:"ask"`
		Model         string   `json:"model,omitempty"`
		Effort        string   `json:"effort,omitempty"`
		Profile       string   `json:"profile,omitempty"`
		Write         []string `json:"write,omitempty"`
		NetAllow      []string `json:"net_allow,omitempty"`
		Think         string   `json:"think,omitempty"`
		Gate          string   `json:"gate,omitempty"`
		ContextTokens int      `json:"context_tokens,omitempty"`
		spending.Budget
	}{true, o.model, o.effort, o.sandbox, o.write, o.netAllow, o.ua.Think, o.ua.Gate,
		o.ua.ContextTokens, o.ua.Budget()})
	if err != nil { // an infinite sum of money is the only value that JSON lacks
		return []byte(`{"ask":true}`)
	}
	return b
}
