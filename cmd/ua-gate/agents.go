package main

import (
	_ "embed" // for agentsText
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/tidwall/sjson"

	"ua/internal/common/prog"
	"ua/internal/common/verdict"
)

// agentsText says what the gate knows of other agents. The file explains its members.
//
//go:embed agents.toml
var agentsText string

// agentTable is the shape of agentsText.
type agentTable struct {
	Agent []agent
	Forms map[string]map[string]string // of answers, by decision
	Call  []struct{ Tool, Args string }
	Wire  []struct{ Path, Lines string }
}

// An agent is another program that asks a hook before it runs a command. All agents give
// the call as one JSON object on stdin, and take exit status 2 as a denial. They differ
// in names and in the form of the answer.
type agent struct {
	Name              string
	Shells, Others    []string
	Dir, Form         string
	Confines          bool
	Project           string
	Settings, Events  []string
	Tools, Hook, Then string
	Trial             string // "" for an agent that takes no other model
	Env               []string
	*agentTable       // which it is from
}

// agentOf returns the agent of that name, with or without -cli.
func agentOf(name string) (a agent, err error) {
	var t agentTable
	if _, err := toml.Decode(agentsText, &t); err != nil {
		return a, prog.Errorf(prog.Trouble, "agents.toml: %w", err)
	}
	var names []string
	for _, a := range t.Agent {
		if a.Name == name || a.Name == name+"-cli" {
			a.agentTable = &t
			return a, nil
		}
		names = append(names, a.Name)
	}
	return a, prog.Errorf(prog.Trouble, "unknown agent %q", name).
		Hintf("one of %s", strings.Join(names, ", "))
}

// joined returns a text of the table in one line.
func joined(text string) string { return strings.ReplaceAll(text, "\n ", "") }

// answer returns the agent's answer, "" for none.
func (a *agent) answer(in hookCall, v *Verdict) string {
	form, decision, input := a.Forms[a.Form], string(v.Decision), ""
	if request := a.Forms[a.Form+"-request"]; request != nil && in.event == "PermissionRequest" {
		form = request
	}
	if v.Command != "" && v.Decision != verdict.Deny {
		decision += "-changed"
		// It replaces the whole input, so all other members are kept.
		text, err := sjson.Set(in.input.Raw, "command", v.Command)
		if input = text; err != nil {
			input = `{"command":` + quoted(v.Command) + `}`
		}
	}
	why := "ua-gate: " + v.Risk.String() + ": " + v.Reason
	return strings.NewReplacer("WHY", quoted(why), "COMMAND", quoted(v.Command), "INPUT", input,
		"INSTEAD", quoted(why+"; a hook of the policy wants instead: "+v.Command)).
		Replace(joined(form[decision]))
}
