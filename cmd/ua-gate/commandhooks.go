package main

import (
	"fmt"
	"time"

	"ua/internal/common/event"
	"ua/internal/common/verdict"
)

// hookNames returns the events that a hook can be for.
func hookNames() []string {
	return []string{
		"pre_exec", "post_exec", "session_start", "session_end", "subagent_start", "subagent_stop",
	}
}

// A hook is a program that is asked before a command runs or about its result, or is told
// of the start and the end of sessions and subagents.
type hook struct {
	argv    []string
	timeout time.Duration
	onError verdict.Decision
	where   string
}

// askHooks asks the pre_exec hooks one after the other. A denial ends that. An ask stays
// one, whatever later hooks say. A changed command is judged from the start, and later
// hooks see that one.
func (g *gate) askHooks(q *question) {
	var asked *opinion
	for _, h := range g.policy.hooks["pre_exec"] {
		o, err := g.askHook(&h, q)
		if err != nil {
			// The person sees which hook it was, and the model gets its reason.
			g.env.Warnf("%s: hook %s: %v", h.where, h.argv[0], err)
			why := fmt.Sprintf("the hook %s %v", h.argv[0], err)
			o = opinion{decision: string(asDecision(h.onError)), reason: why}
		} else if o.reason == "" {
			o.reason = fmt.Sprintf("the hook %s said %s", h.argv[0], o.decision)
		}
		o.where = h.where
		switch o.decision {
		case "deny":
			q.decide(verdict.Deny, "hook", o.where, o.reason)
			return
		case "ask":
			asked = &o
		case "allow":
			q.vouched = &o
		case "modify":
			if g.take(q, o.command); q.Decision == verdict.Deny {
				return
			}
			// The allow was for the command before the change.
			q.vouched = nil
		}
	}
	if asked != nil {
		q.decide(verdict.Ask, "hook", asked.where, asked.reason)
	}
}

// askHook gives a hook the call and the verdict so far, and returns its opinion.
func (g *gate) askHook(h *hook, q *question) (o opinion, err error) {
	so := event.New("pre_exec").Str("cwd", g.tables[0].Cwd).Str("command", q.current()).
		Raw("call", q.raw).Raw("verdict", q.Verdict.event(q.id))
	out, err := g.runHook(h.argv, so.Line(), h.timeout)
	if err != nil {
		return o, err
	}
	o, err = parseOpinion(out, "allow", "deny", "ask", "modify")
	if err == nil && o.decision == "modify" && o.command == "" {
		err = fmt.Errorf("said modify without a command")
	}
	return o, err
}

// current returns the command as it would run now.
func (q *question) current() string {
	if q.Command != "" {
		return q.Command
	}
	return q.call.command
}
