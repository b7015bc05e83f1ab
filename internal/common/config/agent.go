package config

import (
	"cmp"
	"fmt"
	"time"

	"ua/internal/common/journal"
	"ua/internal/common/prog"
	"ua/internal/common/spending"
)

// An Agent is the table [ua] of the settings, which ua and ua-shell share (ua-config(5)).
// Keys that only ua uses are here too, so that ua-shell does not take them for unknown
// ones.
type Agent struct {
	Think         string   `toml:"think"`
	Gate          string   `toml:"gate"`
	Exec          string   `toml:"exec"`
	MaxTurns      int      `toml:"max_turns"`
	Models        []string `toml:"models"` // that commands may ask besides the run's own
	MaxCommands   int      `toml:"max_commands"`
	MaxCalls      int      `toml:"max_calls"`      // in one answer
	ContextTokens int      `toml:"context_tokens"` // of the conversation that the model is sent
	BudgetTokens  int64    `toml:"budget_tokens"`  // 0: none
	BudgetUSD     float64  `toml:"budget_usd"`     // 0: none
	MaxAgentDepth int      `toml:"max_agent_depth"`
	TimeLimit     Duration `toml:"time_limit"`
	Memory        *bool    `toml:"memory"`
	Try           TryMode  `toml:"try"`
	Checks        []string `toml:"check"`  // that prove that a run is done (ua(1), --until)
	Notify        string   `toml:"notify"` // a command that gets each question (ua(1), Questions)
}

// A TryMode says whether a run's changes are kept in a try.
type TryMode string

// The modes. With TryAtomic, the try is applied if the run ends well.
const (
	TryNever  TryMode = ""
	TryAlways TryMode = "always"
	TryAtomic TryMode = "atomic"
)

// UnmarshalText reads the mode from a settings file.
func (m *TryMode) UnmarshalText(text []byte) error {
	switch *m = TryMode(text); *m {
	case TryAlways, TryAtomic:
		return nil
	}
	return fmt.Errorf("%q is neither always nor atomic", text)
}

// Check returns the error for the first key that is out of range. path names the file of
// the table.
func (a *Agent) Check(path string) error {
	for _, c := range []struct {
		key  string
		ok   bool
		want string
	}{
		{"max_turns", a.MaxTurns >= 0, "a whole number from 1"},
		{"max_commands", a.MaxCommands >= 0, "a whole number from 1"},
		{"max_calls", a.MaxCalls >= 0, "a whole number from 1"},
		{"max_agent_depth", a.MaxAgentDepth >= 0, "a whole number from 1"},
		{"context_tokens", a.ContextTokens == 0 || a.ContextTokens >= 1000,
			"a whole number from 1000"},
		{"budget_tokens", a.BudgetTokens >= 0, "a whole number from 1"},
		{"budget_usd", a.BudgetUSD >= 0, "an amount above 0, such as 0.5"},
	} {
		if !c.ok {
			return prog.Errorf(prog.Trouble, "%s: [ua] %s: want %s", path, c.key, c.want)
		}
	}
	return nil
}

// Complete checks the table from the file at path, and fills in the defaults.
func (a *Agent) Complete(path string) error {
	if err := a.Check(path); err != nil {
		return err
	}
	a.MaxTurns = cmp.Or(a.MaxTurns, DefaultMaxTurns)
	a.MaxCommands = cmp.Or(a.MaxCommands, defaultMaxCommands)
	a.MaxCalls = cmp.Or(a.MaxCalls, defaultMaxCalls)
	a.ContextTokens = cmp.Or(a.ContextTokens, defaultContextTokens)
	return nil
}

// Narrow takes over what a project's table sets lower, and that no AGENTS.md files are
// read. a is complete, and nothing in it becomes larger.
func (a *Agent) Narrow(project *Agent) {
	a.MaxTurns = lower(a.MaxTurns, project.MaxTurns)
	a.MaxCommands = lower(a.MaxCommands, project.MaxCommands)
	a.MaxCalls = lower(a.MaxCalls, project.MaxCalls)
	a.ContextTokens = lower(a.ContextTokens, project.ContextTokens)
	a.BudgetTokens = lower(a.BudgetTokens, project.BudgetTokens)
	a.BudgetUSD = lower(a.BudgetUSD, project.BudgetUSD)
	a.TimeLimit = lower(a.TimeLimit, project.TimeLimit)
	a.Checks = append(a.Checks, project.Checks...)
	if project.Memory != nil && !*project.Memory {
		a.Memory = project.Memory
	}
}

// Budget returns the most that the table lets a run or a session spend.
func (a *Agent) Budget() spending.Budget {
	return spending.Budget{Tokens: a.BudgetTokens, USD: a.BudgetUSD}
}

// lower returns the lower one of two limits, where 0 is no limit.
func lower[T int | int64 | float64 | Duration](a, b T) T {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// AskTimeout is the default for how long a person may take to answer a question.
const AskTimeout = 5 * time.Minute

// Defaults of [ua] (ua-config(5)).
const (
	DefaultMaxTurns      = 100
	defaultMaxCommands   = 200
	defaultMaxCalls      = 64 // in one answer
	defaultContextTokens = journal.DefaultBudget
)
