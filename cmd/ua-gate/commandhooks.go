package main

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-gate/internal/policy"
	"ua/internal/common/event"
	"ua/internal/common/verdict"
)

// askHooks asks the pre_exec hooks one after the other. A denial ends that. An ask stays
// one, whatever later hooks say. A changed command is judged from the start, and later
// hooks see that one.
func (g *gate) askHooks(q *question) {
	var asked *opinion
	for _, h := range g.policy.Hooks["pre_exec"] {
		in := event.New("pre_exec").Str("cwd", g.tables[0].Cwd).Str("command", q.current()).
			Raw("call", q.raw).Raw("verdict", q.Verdict.event(q.id))
		o := g.opinion(&h, in.Line(), "command", "allow", "deny", "ask", "modify")
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

// opinion returns what a hook says to the input, by one of the words; modify needs the member. A
// hook that fails says what its on_error says, or deny where that is none of the words.
func (g *gate) opinion(h *policy.Hook, in []byte, member string, words ...string) (o opinion) {
	out, err := g.runHook(h.Command, in, time.Duration(h.Timeout))
	if err == nil {
		o, err = parseOpinion(out, words...)
	}
	if with := gjson.GetBytes(out, member); err == nil && o.decision == "modify" &&
		(!with.Exists() || member == "command" && o.command == "") {
		err = fmt.Errorf("said modify without %s", member)
	}
	if err != nil {
		// The person sees which hook it was, and the model gets its reason.
		g.env.Warnf("%s: hook %s: %v", h.Where, h.Command[0], err)
		o = opinion{decision: h.Failed(),
			reason: fmt.Sprintf("the hook %s %v", h.Command[0], err)}
		if o.decision != "" && !slices.Contains(words, o.decision) {
			o.decision = "deny"
		}
	}
	o.reason = cmp.Or(o.reason, fmt.Sprintf("the hook %s said %s", h.Command[0], o.decision))
	o.where = h.Where
	return o
}
