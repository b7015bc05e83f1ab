package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-gate/internal/hookrunner"
	"ua/cmd/ua-gate/internal/policy"
	"ua/internal/common/config"
	"ua/internal/common/event"
	"ua/internal/common/verdict"
)

// askHooks asks the pre_exec hooks one after the other. A denial ends that. An ask stays
// one, whatever later hooks say. A changed command is judged from the start, and later
// hooks see that one.
func (g *gate) askHooks(q *pendingCall) {
	var asked *hookrunner.Opinion
	for _, h := range g.policy.Hooks["pre_exec"] {
		in := event.New("pre_exec").Str("cwd", g.tables[0].Cwd).Str("command", q.current()).
			Raw("call", q.raw).Raw("verdict", q.Verdict.event(q.id))
		o := g.opinion(&h, in.Line(), "command", "allow", "deny", "ask", "modify")
		switch o.Decision {
		case "deny":
			q.decide(verdict.Deny, "hook", o.Where, o.Reason)
			return
		case "ask":
			asked = &o
		case "allow":
			q.vouched = &o
		case "modify":
			if g.take(q, o.Command); q.Decision == verdict.Deny {
				return
			}
			// The allow was for the command before the change.
			q.vouched = nil
		}
	}
	if asked != nil {
		q.decide(verdict.Ask, "hook", asked.Where, asked.Reason)
	}
}

// opinion returns what a hook says to the input, by one of the words; modify needs the member. A
// hook that fails says what its on_error says, or deny where that is none of the words.
func (g *gate) opinion(
	h *policy.Hook, in []byte, member string, words ...string,
) (o hookrunner.Opinion) {
	out, err := g.run(h, in)
	if err == nil {
		o, err = hookrunner.ParseOpinion(out, words...)
	}
	if with := gjson.GetBytes(out, member); err == nil && o.Decision == "modify" &&
		(!with.Exists() || member == "command" && o.Command == "") {
		err = fmt.Errorf("said modify without %s", member)
	}
	if err != nil {
		// The person sees which hook it was, and the model gets its reason.
		g.env.Warnf("%s: hook %s: %v", h.Where, h.Command[0], err)
		o = hookrunner.Opinion{Decision: h.Failed(),
			Reason: fmt.Sprintf("the hook %s %v", h.Command[0], err)}
		if o.Decision != "" && !slices.Contains(words, o.Decision) {
			o.Decision = "deny"
		}
	}
	o.Reason = cmp.Or(o.Reason, fmt.Sprintf("the hook %s said %s", h.Command[0], o.Decision))
	o.Where = h.Where
	return o
}

// run consults a hook, which gets no keys of models.
func (g *gate) run(h *policy.Hook, in []byte) ([]byte, error) {
	return hookrunner.Run(h.Command, config.WithoutKeys(os.Environ()), in, time.Duration(h.Timeout),
		g.env.Stderr)
}
