package config

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/BurntSushi/toml"
)

// TestComplete fills in what a table leaves open, and refuses what is out of range.
func TestComplete(t *testing.T) {
	var a Agent
	if err := a.Complete("f"); err != nil || a.MaxTurns != 100 || a.MaxCommands != 200 ||
		a.MaxCalls != 64 ||
		a.ContextTokens < 1000 || a.BudgetTokens != 0 {
		t.Errorf("%+v, %v", a, err)
	}
	a = Agent{MaxTurns: 7, ContextTokens: 1000}
	if err := a.Complete("f"); err != nil || a.MaxTurns != 7 || a.ContextTokens != 1000 {
		t.Errorf("%+v, %v", a, err)
	}
	for key, bad := range map[string]Agent{
		"max_turns": {MaxTurns: -1}, "max_commands": {MaxCommands: -1}, "max_calls": {MaxCalls: -1},
		"max_agent_depth": {MaxAgentDepth: -1}, "context_tokens": {ContextTokens: 999},
		"budget_tokens": {BudgetTokens: -1}, "budget_usd": {BudgetUSD: -0.1},
	} {
		if err := bad.Complete("f"); err == nil || !strings.HasPrefix(err.Error(),
			"f: [ua] "+key+": want ") {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// TestNarrow: a project's table makes nothing larger.
func TestNarrow(t *testing.T) {
	yes, no := true, false
	user := Agent{MaxTurns: 10, MaxCommands: 10, MaxCalls: 10, ContextTokens: 5000, BudgetUSD: 2,
		TimeLimit: Duration(time.Minute), Memory: &yes}
	for name, c := range map[string]struct {
		project Agent
		want    func(*Agent)
	}{
		"nothing": {Agent{}, func(*Agent) {}},
		"larger": {Agent{MaxTurns: 20, MaxCommands: 20, MaxCalls: 20, ContextTokens: 9000, BudgetUSD: 3,
			TimeLimit: Duration(time.Hour), Memory: &yes}, func(*Agent) {}},
		"smaller": {Agent{MaxTurns: 5, BudgetUSD: 1, TimeLimit: Duration(time.Second)}, func(a *Agent) {
			a.MaxTurns, a.BudgetUSD, a.TimeLimit = 5, 1, Duration(time.Second)
		}},
		"where there was none": {Agent{BudgetTokens: 7}, func(a *Agent) { a.BudgetTokens = 7 }},
		"no memory":            {Agent{Memory: &no}, func(a *Agent) { a.Memory = &no }},
		"programs": {Agent{Think: "x", Gate: "x", Exec: "x", Try: TryAlways,
			MaxAgentDepth: 1}, func(*Agent) {}},
	} {
		got, want := user, user
		got.Narrow(&c.project)
		if c.want(&want); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestWords reads the words that settings take.
func TestWords(t *testing.T) {
	for text, wrong := range map[string]string{
		`try = "always"`: "", `try = "atomic"`: "",
		`try = "never"`: `"never" is neither always nor atomic`,
		`try = ""`:      "neither", `try = true`: "neither", `effort = "high"`: "",
		`effort = "none"`:   "",
		`effort = "higher"`: `effort "higher": want none, minimal, low, medium, high, xhigh or max`,
		`time = "90s"`:      "", `time = "-1s"`: "is not a duration", `time = "0s"`: "is not a duration",
	} {
		var v struct {
			Try    TryMode
			Effort Effort
			Time   Duration
		}
		_, err := toml.Decode(text, &v)
		if (err == nil) != (wrong == "") || err != nil && !strings.Contains(err.Error(), wrong) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if text, err := Duration(90 * time.Second).MarshalText(); err != nil || string(text) != "1m30s" {
		t.Errorf("%s, %v", text, err)
	}
}
