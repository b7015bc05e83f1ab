package main

import (
	"fmt"
	"os"

	"ua/cmd/ua-gate/internal/classify"
	"ua/internal/common/prog"
	"ua/internal/common/verdict"
)

// A gate judges calls.
type gate struct {
	options
	env         *prog.Env
	about       classify.Options
	instruction string // the newest one that passed
}

func newGate(env *prog.Env, o options) (*gate, error) {
	home, _ := os.UserHomeDir()
	return &gate{options: o, env: env, about: classify.Options{Cwd: workdir(), Home: home, Shell: o.shell, Resolve: true}}, nil
}

// decide is the verdict on a call, at least as strict as an upstream gate's.
func (g *gate) decide(c *call, up *Verdict) Verdict {
	if c.bad != "" {
		return Verdict{Risk: verdict.Denied, Decision: verdict.Deny, By: "input", Reason: c.bad, Profile: verdict.ProfileReadOnly}
	}
	command := c.command
	if up != nil && up.Command != "" {
		command = up.Command
	}
	r := classify.Classify(command, &g.about)
	v := Verdict{Risk: r.Level, By: "level", Reason: r.Reason, Rule: r.Row, Profile: verdict.ProfileFor(r.Level), Delegates: r.Delegates, Parts: r}
	if command != c.command {
		v.Command = command
	}
	v.Decision = g.byLevel(r.Level)
	if v.Decision == verdict.Ask {
		v.Decision, v.Reason = verdict.Deny, fmt.Sprintf("%s, and nobody is there to ask: %s", r.Level, r.Reason)
	}
	if up != nil {
		v.tighten(*up)
	}
	return v
}

func (g *gate) byLevel(l verdict.Level) verdict.Decision {
	most := verdict.Network
	if g.ask {
		most = verdict.BuildTest
	}
	switch {
	case l <= most:
		return verdict.Allow
	case g.ask && l < verdict.Denied:
		return verdict.Ask
	}
	return verdict.Deny
}
