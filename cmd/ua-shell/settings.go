package main

import (
	"cmp"
	"flag"
	"strconv"
	"time"

	"ua/cmd/ua-shell/internal/agent"
	"ua/cmd/ua-shell/internal/ring"
	"ua/internal/common/config"
	"ua/internal/common/prog"
)

// settings are the table of config.toml that ua-shell shares with ua (ua-config(5)).
// What is of ua alone stands here so that it is no unknown key.
type settings struct {
	UA struct {
		Think         string          `toml:"think"`
		Gate          string          `toml:"gate"`
		Exec          string          `toml:"exec"`
		MaxTurns      int             `toml:"max_turns"`
		MaxCommands   int             `toml:"max_commands"`
		MaxCalls      int             `toml:"max_calls"`
		ContextTokens int             `toml:"context_tokens"`
		BudgetTokens  int64           `toml:"budget_tokens"`
		BudgetUSD     float64         `toml:"budget_usd"`
		MaxAgentDepth int             `toml:"max_agent_depth"`
		TimeLimit     config.Duration `toml:"time_limit"`
		Memory        *bool           `toml:"memory"`
		Try           string          `toml:"try"`
	} `toml:"ua"`
}

// limits are the options that bound what the agent asks and runs.
type limits struct {
	agent.Limits
	effort  string
	think   string // a shell line in place of ua-think, "" for none
	gate    string // a shell line in front of ua-gate, "" for none
	context int    // tokens of the conversation that the model is sent
	ask     time.Duration
}

// flags declares the options.
func (l *limits) flags(fs *flag.FlagSet) {
	fs.StringVar(&l.effort, "effort", "", "")
	prog.Number(fs, &l.context, "context-tokens", 0, 1000, 0)
	prog.Number(fs, &l.Tokens, "budget-tokens", 0, 1, 0)
	prog.Amount(fs, &l.USD, "budget-usd", 0)
	prog.Number(fs, &l.Questions, "max-turns", 0, 1, 0)
	prog.Number(fs, &l.Commands, "max-commands", 0, 1, 0)
	prog.Duration(fs, &l.ask, "ask-timeout", 5*time.Minute, 0)
}

// configure fills in what the command line leaves open.
func (l *limits) configure() error {
	var s settings
	if err := config.Load(&s); err != nil {
		return err
	}
	l.think, l.gate = s.UA.Think, s.UA.Gate
	l.context = cmp.Or(l.context, s.UA.ContextTokens, ring.Tokens)
	l.Tokens = cmp.Or(l.Tokens, s.UA.BudgetTokens)
	l.USD = cmp.Or(l.USD, s.UA.BudgetUSD)
	l.Questions = cmp.Or(l.Questions, s.UA.MaxTurns, 100)
	l.Commands = cmp.Or(l.Commands, s.UA.MaxCommands, 200)
	for _, c := range []struct {
		key  string
		ok   bool
		want string
	}{
		{"max_turns", l.Questions > 0, "a whole number from 1"},
		{"max_commands", l.Commands > 0, "a whole number from 1"},
		{"context_tokens", l.context >= 1000, "a whole number from 1000"},
		{"budget_tokens", l.Tokens >= 0, "a whole number from 1"},
		{"budget_usd", l.USD >= 0, "an amount above 0, such as 0.5"},
	} {
		if !c.ok {
			return prog.Errorf(prog.Trouble, "%s: [ua] %s: want %s", config.Path(), c.key, c.want)
		}
	}
	return nil
}

// budget returns the arguments by which ua-think, and what it serves, keep the budget.
func (l *limits) budget() (args []string) {
	if l.Tokens > 0 {
		args = append(args, "--budget-tokens", strconv.FormatInt(l.Tokens, 10))
	}
	if l.USD > 0 {
		args = append(args, "--budget-usd", strconv.FormatFloat(l.USD, 'g', -1, 64))
	}
	return args
}
