package main

import (
	"errors"
	"fmt"

	"ua/cmd/ua-gate/internal/grant"
	"ua/cmd/ua-gate/internal/person"
	"ua/internal/common/verdict"
)

// ended is the reason for a call whose question the person has answered by ending the
// run.
const ended = "the person ended the run"

// errQuit is the error of a run that the person has ended.
var errQuit = errors.New(ended)

// decide returns the verdict on a call. In order it asks deny rules, hooks, rules and
// levels, session grants, the judge and the person. The verdict is at least as strict as
// up, that of an upstream gate (nil for none). emit writes an event after the call.
func (g *gate) decide(c *call, up *Verdict, emit func([]byte) error) (Verdict, error) {
	if c.bad != "" {
		return refusal("input", c.bad), nil
	}
	q := &pendingCall{call: c, emit: emit}
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
func (g *gate) cascade(q *pendingCall, command string, before verdict.Decision) {
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
	if q.Decision != verdict.Ask {
		return
	}
	opened, why := g.sandbox().Opens(q.Grant, q.open, q.Profile, q.Delegates)
	if q.Grant = opened; why != "" {
		q.decide(verdict.Deny, "level", q.Rule, q.Reason+", and "+why)
	}
}

// askPerson asks until there is a decision. An edited command is judged again, also by
// the hooks, and asked about again unless it is allowed as it is. If another program asks
// the person, the question stays open.
func (g *gate) askPerson(q *pendingCall) error {
	for {
		if g.person == nil {
			if !g.ask {
				q.decide(verdict.Deny, q.By, q.Rule, nobody(q, "there is nobody to ask"))
			} else if q.warning != "" {
				q.Reason += "; " + q.warning
			}
			return nil
		}
		asked := &person.Question{ID: q.id, Command: q.current(), Risk: q.Risk, Reason: q.Reason,
			Rule: q.Rule, Warning: q.warning, Safer: q.Safer, Kinds: grant.Kinds(q.open, q.askRule),
			Grant: q.Grant, Opens: grant.Words(q.Grant), Word: q.needsYes(), Emit: q.emit}
		if err := asked.Tell(); err != nil {
			return err
		}
		r, err := g.person.Ask(asked)
		if err == person.ErrUnanswered {
			q.decide(verdict.Deny, q.By, q.Rule, nobody(q, "no answer came in time"))
			return err
		}
		if err == person.ErrInterrupted {
			q.decide(verdict.Deny, "person", q.Rule, ended)
			return err
		}
		if err != nil {
			q.decide(verdict.Deny, q.By, q.Rule, nobody(q, err.Error()))
			return nil
		}
		if r.Word != "edit" {
			return g.settle(q, r)
		}
		// What was found out is about the command before the edit.
		*q = pendingCall{call: q.call, emit: q.emit}
		if g.cascade(q, r.Command, verdict.Allow); q.Decision != verdict.Ask {
			if q.Decision == verdict.Allow {
				q.By = "person"
			}
			return nil
		}
	}
}

// settle turns a final reply into the decision.
func (g *gate) settle(q *pendingCall, r person.Reply) error {
	yes := r.Word == "yes" || (r.Word == "allow" || r.Word == "session" || r.Word == "host") &&
		!q.needsYes()
	switch {
	case r.Word == "quit":
		q.decide(verdict.Deny, "person", q.Rule, ended)
		return errQuit
	case !yes && r.Word != "deny":
		q.decide(verdict.Deny, "person", q.Rule,
			fmt.Sprintf("the answer %q is not the yes that it needs", r.Word))
	case !yes && r.Reason == "":
		q.decide(verdict.Deny, "person", q.Rule, "the person said no")
	case !yes:
		q.decide(verdict.Deny, "person", q.Rule, "the person said no: "+r.Reason)
	default:
		if r.Word == "session" && grant.Kinds(q.open, q.askRule) != nil {
			g.granted.Add(g.sandbox(), q.open, q.askRule)
		}
		if r.Word == "host" {
			g.granted.AddHosts(q.Grant.Host)
		}
		q.Decision, q.By = verdict.Allow, "person"
	}
	return nil
}
