package main

import (
	"cmp"
	"fmt"
	"os"

	"ua/cmd/ua-gate/internal/finding"
	"ua/cmd/ua-gate/internal/grant"
	"ua/cmd/ua-gate/internal/plainreaders"
	"ua/cmd/ua-gate/internal/policy"
	"ua/internal/common/verdict"
)

// byPolicy decides by level and rules alone. With nobody there, an ask becomes a denial.
func (g *gate) byPolicy(c *call, m policy.Mode) Verdict {
	h := *g
	h.mode, h.granted, h.ask = m, grant.Session{}, m != policy.Unattended
	h.levels = h.policy.Decisions(m, h.try)
	q := &pendingCall{call: c}
	if h.take(q, c.command); q.Decision != verdict.Deny {
		h.byRules(q)
	}
	if q.Decision == verdict.Ask && m == policy.Unattended {
		q.Decision = verdict.Deny
	}
	return q.Verdict
}

// byRules decides by ask and allow rules, levels, session grants and the word of hooks.
// An ask rule frees nothing that a level denies. A hook's allow frees what would be asked
// about, below the privileged level. A part that nobody has read is asked about whatever
// the levels say, and denied if nobody is there. The same holds for what is held for what
// it wipes, unless an allow rule names it.
func (g *gate) byRules(q *pendingCall) {
	asked := q.Decision == verdict.Ask // by a hook
	row, reason := q.Rule, q.Reason
	if r, part := g.policy.Matching(verdict.Ask, &q.Parts); r != nil && !g.granted.Rule(r) {
		q.askRule = r
		q.decide(verdict.Ask, "rule", r.Where, r.Because(part))
		asked = true
	}
	levels := &g.levels
	upto := levels.Upto()
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
		word = policy.Stricter(levels[worst.Level], verdict.Ask)
	}
	held := heldBack(q.open)
	if held != nil && !g.ask {
		word = verdict.Deny
	}
	switch {
	case asked && word != verdict.Deny:
	case worst == nil:
		q.Decision, q.By = verdict.Allow, by
		if freed != nil {
			q.Rule = freed.Where
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
		q.decide(verdict.Allow, "hook", q.vouched.Where, q.vouched.Reason)
	default:
		q.decide(word, "level", worst.Row, reason)
		if bare && worst.Level == verdict.ReadOnly {
			q.Reason += ", but nothing holds that here"
		}
		if word == verdict.Deny {
			q.Reason = fmt.Sprintf("%s, and %s commands are not allowed here", q.Reason,
				worst.Level)
			if by := g.policy.Closes(worst.Level); by.Where != "" {
				q.Rule = by.Where
				q.Reason += ": " + cmp.Or(by.Reason, by.Where+" denies them")
			}
		}
	}
}

// heldBack returns the first part that nobody has read or that wipes what is not made again,
// or nil. Such a part runs only if a person says so, whatever its level.
func heldBack(parts []*finding.Part) *finding.Part {
	for _, p := range parts {
		if p.Unread || p.Held {
			return p
		}
	}
	return nil
}

// uncovered puts into q.open the parts above upto that no allow rule and no session grant
// lets through, and those that heldBack looks for. by says what let the others through:
// only the "level", a "session" grant, or a "rule", which is freed.
func (g *gate) uncovered(q *pendingCall, upto verdict.Level) (by string, freed *policy.Rule) {
	by = "level"
	top, around := verdict.ReadOnly, g.sandbox()
	for part := range q.Parts.All() {
		top = max(top, part.Level)
		if part.Level <= upto && !part.Unread && !part.Held || g.heldBySandbox(part) {
			continue
		}
		if r := g.policy.Allows(part); r != nil {
			by, freed = "rule", r
		} else if need, ok := g.granted.Frees(around, part); ok {
			by, q.Grant = "session", grant.Join(q.Grant, need)
		} else {
			q.open = append(q.open, part)
		}
	}
	if q.Risk > max(top, upto) || len(q.Parts.Parts) == 0 && q.Risk > upto {
		// a level that no part accounts for
		q.open = append(q.open, &finding.Part{Level: q.Risk, Row: q.Parts.Row,
			Reason: q.Parts.Reason})
	}
	return by, freed
}

// highest returns the first part with the highest level, nil if there is none.
func highest(parts []*finding.Part) (worst *finding.Part) {
	for _, p := range parts {
		if worst == nil || p.Level > worst.Level {
			worst = p
		}
	}
	return worst
}

// plain reports whether the command is made of plain readers alone, which need no sandbox.
func (g *gate) plain(command string) bool {
	home, _ := os.UserHomeDir()
	sh := plainreaders.Shell{Path: os.Getenv("PATH"), Dir: g.cwd, Home: home,
		Files: !g.confining || g.temporary(command)}
	return quotes() && g.shell != "fish" && sh.Reads(command)
}
