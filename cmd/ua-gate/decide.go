package main

import (
	"fmt"

	"ua/cmd/ua-gate/internal/classify"
	"ua/internal/common/verdict"
)

// A question is a call on its way through the cascade.
type question struct {
	*call
	Verdict
	vouched *opinion           // of a hook that said allow
	open    []*classify.Part   // the parts that nothing has let through yet
	askRule *rule              // the ask rule that matched, if any
	warning string             // the judge's
	emit    func([]byte) error // writes an event behind the call
}

// decide returns the verdict on a call, at least as strict as an upstream gate's up
// (nil if there is none): deny rules, hooks, rules and levels, session grants,
// the judge, the person. emit writes an event behind the call.
func (g *gate) decide(c *call, up *Verdict, emit func([]byte) error) (Verdict, error) {
	if c.bad != "" {
		return refusal("input", c.bad), nil
	}
	q := &question{call: c, emit: emit}
	command := c.command
	if up != nil && up.Command != "" {
		command = up.Command
	}
	before := verdict.Allow
	if up != nil {
		before = up.Decision
	}
	err := g.cascade(q, command, before)
	if up != nil {
		if q.current() != command && q.Decision != verdict.Deny {
			q.decide(verdict.Deny, q.By, q.Rule,
				"an earlier gate has not judged the changed command; call it for itself: "+q.current())
		}
		q.tighten(*up)
	}
	return q.Verdict, err
}

// cascade decides on the command. What an earlier gate has denied needs no
// further word, and what it asks about nobody here can allow.
func (g *gate) cascade(q *question, command string, before verdict.Decision) error {
	g.take(q, command)
	if q.Decision == verdict.Deny || before == verdict.Deny {
		return nil
	}
	g.askHooks(q)
	if q.Decision == verdict.Deny {
		return nil
	}
	g.byRules(q)
	if before == verdict.Allow {
		g.askJudge(q)
	}
	if q.Decision != verdict.Ask || before == verdict.Ask && g.ask {
		return nil
	}
	return g.askPerson(q)
}

// take makes command the one that is judged, and denies it if its level or a
// deny rule does.
func (g *gate) take(q *question, command string) {
	if bad := unprintable(command); bad != "" {
		q.Verdict = refusal("input", bad)
		return
	}
	q.Verdict = g.report(command)
	if command != q.call.command {
		q.Command = command
	}
	if q.Risk == verdict.Denied {
		q.decide(verdict.Deny, "level", q.Rule, q.Reason+": this never runs")
	} else if r, part := g.policy.matching(verdict.Deny, &q.Parts); r != nil {
		q.decide(verdict.Deny, "rule", r.where, r.because(part))
	}
}

// decide puts a decision into the verdict.
func (q *question) decide(d verdict.Decision, by, rule, reason string) {
	q.Decision, q.By, q.Rule, q.Reason = d, by, rule, reason
}

// byRules decides by ask and allow rules, levels, session grants and what the
// hooks said. Who asks frees nothing that a level denies; a hook's allow frees
// what would be asked about, below the privileged level. What nobody has read is
// asked about whatever the levels say, and with nobody there denied. So is what wipes the
// workspace's history, unless an allow rule names it.
func (g *gate) byRules(q *question) {
	asked := q.Decision == verdict.Ask // by a hook
	if r, part := g.policy.matching(verdict.Ask, &q.Parts); r != nil && !g.granted.rule(r) {
		q.askRule = r
		q.decide(verdict.Ask, "rule", r.where, r.because(part))
		asked = true
	}
	levels := &g.levels
	by, freed := g.uncovered(q, levels.upto())
	worst := highest(q.open)
	word := verdict.Allow // what its level says of it
	if worst != nil {
		word = levels[worst.Level]
	}
	held := heldOf(q.open)
	if held != nil {
		word = stricter(word, verdict.Ask)
		if !g.ask {
			word = verdict.Deny
		}
	}
	switch {
	case asked && word != verdict.Deny:
	case worst == nil:
		q.Decision, q.By = verdict.Allow, by
		if freed != nil {
			q.Rule = freed.where
		}
	case held != nil && levels[worst.Level] != verdict.Deny:
		why := ""
		if held.Unread {
			why = ", so no rule can tell what it runs"
		}
		q.decide(word, "level", held.Row, held.Reason+why)
		if word == verdict.Deny {
			q.Reason = nobody(q, "nobody is there to say it")
		}
	case q.vouched != nil && q.Risk < verdict.Privileged && word == verdict.Ask:
		q.decide(verdict.Allow, "hook", q.vouched.where, q.vouched.reason)
	default:
		q.decide(word, "level", worst.Row, worst.Reason)
		if word == verdict.Deny {
			q.Reason = fmt.Sprintf("%s, and the policy denies what is %s", q.Reason, worst.Level)
		}
	}
}

// heldOf returns the first of the parts that nobody has read or that wipe the workspace's
// history, or nil: they run when a person says so, whatever their level.
func heldOf(parts []*classify.Part) *classify.Part {
	for _, p := range parts {
		if p.Unread || p.Wipes {
			return p
		}
	}
	return nil
}

// uncovered puts the parts above upto that no allow rule and no session grant
// lets through into q.open, those that nobody has read and those that wipe the
// workspace's history. It returns what let
// the others through: "level"
// alone, "session", or "rule" and the rule.
func (g *gate) uncovered(q *question, upto verdict.Level) (by string, freed *rule) {
	by = "level"
	top := verdict.ReadOnly
	for part := range q.Parts.All() {
		top = max(top, part.Level)
		if part.Level <= upto && !part.Unread && !part.Wipes {
			continue
		}
		if r := g.policy.allows(part); r != nil {
			by, freed = "rule", r
		} else if g.granted.part(part) {
			by = "session"
		} else {
			q.open = append(q.open, part)
		}
	}
	if q.Risk > max(top, upto) { // a level that no part accounts for
		q.open = append(q.open, &classify.Part{Level: q.Risk, Row: q.Parts.Row,
			Reason: q.Parts.Reason})
	}
	return by, freed
}

// highest returns the first of the parts with the highest level, nil if there are
// none.
func highest(parts []*classify.Part) (worst *classify.Part) {
	for _, p := range parts {
		if worst == nil || p.Level > worst.Level {
			worst = p
		}
	}
	return worst
}
