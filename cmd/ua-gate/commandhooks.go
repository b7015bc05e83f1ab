package main

import (
	"fmt"
	"time"

	"ua/internal/common/event"
	"ua/internal/common/verdict"
)

// hookNames returns what hooks can be asked about or told of.
func hookNames() []string {
	return []string{
		"pre_exec", "post_exec", "session_start", "session_end", "subagent_start", "subagent_stop",
	}
}

// A hook is a program that is asked before a command may run, or about what its
// result was, or told of a session's or a subagent's start and end.
type hook struct {
	argv    []string
	timeout time.Duration
	onError verdict.Decision
	where   string
}

// askHooks asks the pre_exec hooks in turn. A denial ends it; an ask stays one
// whatever later hooks say; a changed command is judged from the start, and the
// hooks after see it.
func (g *gate) askHooks(q *question) {
	var asked *opinion
	for _, h := range g.policy.hooks["pre_exec"] {
		o, err := g.askHook(&h, q)
		if err != nil {
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
			q.vouched = nil
		}
	}
	if asked != nil {
		q.decide(verdict.Ask, "hook", asked.where, asked.reason)
	}
}

// askHook gives the hook the call and the verdict so far, and reads its word.
func (g *gate) askHook(h *hook, q *question) (o opinion, err error) {
	so := event.New("pre_exec").Str("cwd", g.tables[0].Cwd).Str("command", q.current()).
		Raw("call", q.raw).Raw("verdict", q.Verdict.event(q.id))
	out, err := g.consult(h.argv, so.Line(), h.timeout)
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
