// Package agenthooks knows other agents: how they call a hook and take its answer, where their
// settings are, and how to try them.
package agenthooks

import (
	_ "embed" // for agentsText
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/tidwall/sjson"

	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/verdict"
)

// agentsText says what the gate knows of other agents. The file explains its members.
//
//go:embed agents.toml
var agentsText string

// agentTable is the shape of agentsText.
type agentTable struct {
	Agent []Agent
	Forms map[string]map[string]string // of answers, by decision
}

// An Agent is another program that asks a hook before it runs a command. All agents give
// the call as one JSON object on stdin, and take exit status 2 as a denial. They differ
// in names and in the form of the answer.
type Agent struct {
	Name              string
	Shells, Others    []string
	Dir, Form         string
	Confines          bool
	Project           string
	Settings, Events  []string
	Tools, Hook, Then string
	Trial             string // "" for an agent that takes no other model
	Env               []string
	forms             map[string]map[string]string
}

// Of returns the agent of that name, with or without -cli.
func Of(name string) (a Agent, err error) {
	var t agentTable
	if _, err := toml.Decode(agentsText, &t); err != nil {
		return a, prog.Errorf(prog.Trouble, "agents.toml: %w", err)
	}
	var names []string
	for _, a := range t.Agent {
		if a.Name == name || a.Name == name+"-cli" {
			a.forms = t.Forms
			return a, nil
		}
		names = append(names, a.Name)
	}
	return a, prog.Errorf(prog.Trouble, "unknown agent %q", name).
		Hintf("one of %s", strings.Join(names, ", "))
}

// joined returns a text of the table in one line.
func joined(text string) string { return strings.ReplaceAll(text, "\n ", "") }

// Answer returns the agent's answer to a call, "" for none: the decision, the reason, and the
// command that is to run in the place of the call's, "" for that one.
func (a *Agent) Answer(c Call, decision verdict.Decision, why, command string) string {
	form, word, input := a.forms[a.Form], string(decision), ""
	if request := a.forms[a.Form+"-request"]; request != nil && c.Event == "PermissionRequest" {
		form = request
	}
	if command != "" && decision != verdict.Deny {
		word += "-changed"
		// It replaces the whole input, so all other members are kept.
		text, err := sjson.Set(c.Input.Raw, "command", command)
		if input = text; err != nil {
			input = `{"command":` + quoted(command) + `}`
		}
	}
	why = "ua-gate: " + why
	return strings.NewReplacer("WHY", quoted(why), "COMMAND", quoted(command), "INPUT", input,
		"INSTEAD", quoted(why+"; a hook of the policy wants instead: "+command)).
		Replace(joined(form[word]))
}

// quoted returns s as a JSON string.
func quoted(s string) string { return string(event.AppendString(nil, s)) }
