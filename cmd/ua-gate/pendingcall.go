package main

import (
	"fmt"
	"slices"
	"strings"

	"ua/cmd/ua-gate/internal/finding"
	"ua/cmd/ua-gate/internal/hookrunner"
	"ua/cmd/ua-gate/internal/policy"
	"ua/cmd/ua-gate/internal/shelltext"
	"ua/internal/common/verdict"
)

// A pendingCall is a call on its way to a verdict.
type pendingCall struct {
	*call
	Verdict
	vouched *hookrunner.Opinion // of a hook that said allow
	open    []*finding.Part     // the parts that nothing has let through yet
	askRule *policy.Rule        // the ask rule that matched, if any
	warning string              // the judge's
	emit    func([]byte) error  // writes an event behind the call
}

// take makes command the one that is judged. It is denied if its level or a deny rule
// says so.
func (g *gate) take(q *pendingCall, command string) {
	if bad := shelltext.Unprintable(command); bad != "" {
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
	} else if r, part := g.policy.Matching(verdict.Deny, &q.Parts); r != nil {
		q.decide(verdict.Deny, "rule", r.Where, r.Because(part))
	}
}

// decide sets a decision in the verdict.
func (q *pendingCall) decide(d verdict.Decision, by, rule, reason string) {
	q.Decision, q.By, q.Rule, q.Reason = d, by, rule, reason
}

// current returns the command as it would run now.
func (q *pendingCall) current() string {
	if q.Command != "" {
		return q.Command
	}
	return q.call.command
}

// needsYes reports whether the person has to type the whole word: for a command that
// leaves the sandbox, and for a script from the network that nobody has read.
func (q *pendingCall) needsYes() bool {
	fetched := func(p *finding.Part) bool { return p.Unread && p.Row == "pipe:net" }
	return q.Risk >= verdict.Privileged || slices.ContainsFunc(q.open, fetched)
}

// nobody returns the reason of a denial for lack of an answer.
func nobody(q *pendingCall, why string) string {
	return fmt.Sprintf("%s (%s): this needs approval, and %s", q.Reason, q.Risk, why)
}
