package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"time"

	"ua/cmd/ua-shell/internal/agent"
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
	limits              limits
	noAgent             bool
	args                []string // of the shell
}

// limits are the options that bound what the agent asks and runs.
type limits struct {
	agent.Limits
	effort  string
	think   string // a shell line in place of ua-think, "" for none
	gate    string // a shell line in front of ua-gate, "" for none
	context int    // tokens of the conversation that the model is sent
	ask     time.Duration
	notify  string   // a command that gets each question, "" for none
	models  []string // that commands may ask besides the session's own
}

// flags declares the options.
func (l *limits) flags(fs *flag.FlagSet) {
	fs.StringVar(&l.effort, "effort", "", "")
	prog.Number(fs, &l.context, "context-tokens", 0, 1000, 0)
	prog.Number(fs, &l.Tokens, "budget-tokens", 0, 1, 0)
	prog.Amount(fs, &l.USD, "budget-usd", 0)
	prog.Number(fs, &l.Questions, "max-turns", 0, 1, 0)
	prog.Number(fs, &l.Commands, "max-commands", 0, 1, 0)
	prog.Duration(fs, &l.ask, "ask-timeout", defaultAskTimeout, 0)
}

// configure fills in what the command line leaves open from config.toml. The files of the
// projects around the folder in which the session begins can only narrow it.
func (l *limits) configure(env *prog.Env) error {
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
	l.think, l.gate = s.UA.Think, s.UA.Gate
	l.models, l.notify = s.UA.Models, s.UA.Notify
	l.context = cmp.Or(l.context, s.UA.ContextTokens)
	l.Tokens = cmp.Or(l.Tokens, s.UA.BudgetTokens)
	l.USD = cmp.Or(l.USD, s.UA.BudgetUSD)
	l.Questions = cmp.Or(l.Questions, s.UA.MaxTurns)
	l.Commands = cmp.Or(l.Commands, s.UA.MaxCommands)
	return nil
}

// terms returns what the session was started with, as the options of ua (ua-events(5), run):
// a run that goes on with its conversation has them, and asks as the session does. What
// bounds an instruction begins anew with each.
func (o *options) terms() []byte {
	l := &o.limits
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
	}{true, o.model, l.effort, o.sandbox, o.write, o.netAllow, l.think, l.gate, l.context, l.Budget})
	if err != nil { // an infinite sum of money is the only value that JSON lacks
		return []byte(`{"ask":true}`)
	}
	return b
}
