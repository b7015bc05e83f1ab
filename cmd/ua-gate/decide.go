package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ua/cmd/ua-gate/internal/classify"
	"ua/cmd/ua-gate/internal/judgement"
	"ua/internal/common/verdict"
)

// A question is a call on its way to a verdict.
type question struct {
	*call
	Verdict
	vouched *opinion           // of a hook that said allow
	open    []*classify.Part   // the parts that nothing has let through yet
	askRule *rule              // the ask rule that matched, if any
	warning string             // the judge's
	emit    func([]byte) error // writes an event behind the call
	asked   []byte             // the event of the question
	whole   bool               // it shows the command however long it is
}

// decide returns the verdict on a call. In order it asks deny rules, hooks, rules and
// levels, session grants, the judge and the person. The verdict is at least as strict as
// up, that of an upstream gate (nil for none). emit writes an event after the call.
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
	g.cascade(q, command, before)
	var err error
	// If an earlier gate asks, nobody here can allow it.
	if q.Decision == verdict.Ask && !(before == verdict.Ask && g.ask) {
		err = g.askPerson(q)
	}
	if up != nil {
		// Otherwise a hook could put a command past the earlier gate.
		if q.current() != command && q.Decision != verdict.Deny {
			q.decide(verdict.Deny, q.By, q.Rule,
				"an earlier gate has not judged the changed command; call it for itself: "+q.current())
		}
		q.tighten(*up)
	}
	return q.Verdict, err
}

// cascade decides on the command up to the person. If an earlier gate has denied it nothing more
// is asked, and if one asks about it, no judge is.
func (g *gate) cascade(q *question, command string, before verdict.Decision) {
	g.take(q, command)
	if q.Decision == verdict.Deny || before == verdict.Deny {
		return
	}
	if g.askHooks(q); q.Decision == verdict.Deny {
		return
	}
	g.byRules(q)
	if before == verdict.Allow {
		g.askJudge(q)
	}
	g.opens(q)
}

// take makes command the one that is judged. It is denied if its level or a deny rule
// says so.
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
		q.decide(verdict.Deny, "level", q.Rule, strings.TrimSuffix(q.Reason, " never runs")+
			": this never runs, whatever a policy says")
	} else if r, part := g.policy.matching(verdict.Deny, &q.Parts); r != nil {
		q.decide(verdict.Deny, "rule", r.where, r.because(part))
	}
}

// decide sets a decision in the verdict.
func (q *question) decide(d verdict.Decision, by, rule, reason string) {
	q.Decision, q.By, q.Rule, q.Reason = d, by, rule, reason
}

// byRules decides by ask and allow rules, levels, session grants and the word of hooks.
// An ask rule frees nothing that a level denies. A hook's allow frees what would be asked
// about, below the privileged level. A part that nobody has read is asked about whatever
// the levels say, and denied if nobody is there. The same holds for what is held for what
// it wipes, unless an allow rule names it.
func (g *gate) byRules(q *question) {
	asked := q.Decision == verdict.Ask // by a hook
	row, reason := q.Rule, q.Reason
	if r, part := g.policy.matching(verdict.Ask, &q.Parts); r != nil && !g.granted.rule(r) {
		q.askRule = r
		q.decide(verdict.Ask, "rule", r.where, r.because(part))
		asked = true
	}
	levels := &g.levels
	upto := levels.upto()
	// Where nothing holds a command, its level is a guess: only plain readers are not asked about.
	bare := g.hooked && upto == verdict.ReadOnly && !g.plain(q.current())
	if bare {
		upto = -1
	}
	by, freed := g.uncovered(q, upto)
	worst := highest(q.open)
	word := verdict.Allow // what its level says of it
	if worst != nil {
		if worst.Row != row {
			reason = worst.Reason
		}
		word = stricter(levels[worst.Level], verdict.Ask)
	}
	held := heldOf(q.open)
	if held != nil && !g.ask {
		word = verdict.Deny
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
			q.Reason = nobody(q, "there is nobody to ask")
		}
	case q.vouched != nil && q.Risk < verdict.Privileged && word == verdict.Ask:
		q.decide(verdict.Allow, "hook", q.vouched.where, q.vouched.reason)
	default:
		q.decide(word, "level", worst.Row, reason)
		if bare && worst.Level == verdict.ReadOnly {
			q.Reason += ", but nothing holds that here"
		}
		if word == verdict.Deny {
			q.Reason = fmt.Sprintf("%s, and %s commands are not allowed here", q.Reason,
				worst.Level)
			if by := g.policy.closes(worst.Level); by.where != "" {
				q.Rule = by.where
				q.Reason += ": " + cmp.Or(by.reason, by.where+" denies them")
			}
		}
	}
}

// heldOf returns the first part that nobody has read or that wipes what is not made again,
// or nil. Such a part runs only if a person says so, whatever its level.
func heldOf(parts []*classify.Part) *classify.Part {
	for _, p := range parts {
		if p.Unread || p.Held {
			return p
		}
	}
	return nil
}

// uncovered puts into q.open the parts above upto that no allow rule and no session grant
// lets through, and those that heldOf looks for. by says what let the others through:
// only the "level", a "session" grant, or a "rule", which is freed.
func (g *gate) uncovered(q *question, upto verdict.Level) (by string, freed *rule) {
	by = "level"
	top := verdict.ReadOnly
	for part := range q.Parts.All() {
		top = max(top, part.Level)
		if part.Level <= upto && !part.Unread && !part.Held || g.held(part) {
			continue
		}
		if r := g.policy.allows(part); r != nil {
			by, freed = "rule", r
		} else if need, ok := g.opened(part); ok {
			by, q.Grant = "session", join(q.Grant, need)
		} else {
			q.open = append(q.open, part)
		}
	}
	if q.Risk > max(top, upto) || len(q.Parts.Parts) == 0 && q.Risk > upto {
		// a level that no part accounts for
		q.open = append(q.open, &classify.Part{Level: q.Risk, Row: q.Parts.Row,
			Reason: q.Parts.Reason})
	}
	return by, freed
}

// held reports whether our sandbox holds all that the part does beyond what runs unasked, so that
// there is nothing to ask a person about.
func (g *gate) held(p *classify.Part) bool {
	return g.mode == attended && g.levels[verdict.Write] == verdict.Allow &&
		g.levels[verdict.Destructive] == verdict.Ask && !p.Held && len(p.Effects) > 0 &&
		!slices.ContainsFunc(p.Effects, g.unheld) &&
		g.confines()
}

// unheld reports whether neither the sandbox nor a try keeps the effect from harm. What a policy
// says of such a level in a try comes first.
func (g *gate) unheld(e judgement.Effect) bool {
	const l = verdict.Destructive
	tried := g.try && g.policy.try[l] == "" && g.policy.tryAtMost[l] == ""
	return e.Act.Row().HeldBy != judgement.Sandbox &&
		!(tried && (e.Act == judgement.LosesFiles || undone(e)))
}

// undone reports whether an effect holds a part only for files that nobody knows, or that leave
// the workspace: a try shows which they are.
func undone(e judgement.Effect) bool {
	return e.Act == judgement.LosesAll && (e.How == "path:unknown" || e.How == "path:vanishes")
}

// highest returns the first part with the highest level, nil if there is none.
func highest(parts []*classify.Part) (worst *classify.Part) {
	for _, p := range parts {
		if worst == nil || p.Level > worst.Level {
			worst = p
		}
	}
	return worst
}
