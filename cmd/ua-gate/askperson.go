package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ua/cmd/ua-gate/internal/classify"
	"ua/internal/common/event"
	"ua/internal/common/verdict"
)

// ended is the reason for a call whose question the person has answered by ending the
// run.
const ended = "the person ended the run"

// errQuit is the error of a run that the person has ended.
var errQuit = errors.New(ended)

// errInterrupted is the error of a question at which Ctrl-C came.
var errInterrupted = errors.New("interrupted at a question")

// A person answers questions.
type person interface {
	// ask puts the question and returns the answer. An error says in words why
	// there is none.
	ask(q *question) (reply, error)
}

// A reply is a person's answer.
type reply struct {
	word    string // allow, yes (typed in full), deny, session, host, edit or quit
	command string // the edited command
	reason  string // what the person says to the model with a denial
}

// askPerson asks until there is a decision. An edited command is judged again, also by
// the hooks, and asked about again unless it is allowed as it is. If another program asks
// the person, the question stays open.
func (g *gate) askPerson(q *question) error {
	for {
		if g.person == nil {
			if !g.ask {
				q.decide(verdict.Deny, q.By, q.Rule, nobody(q, "there is nobody to ask"))
			} else if q.warning != "" {
				q.Reason += "; " + q.warning
			}
			return nil
		}
		q.asked = q.askEvent()
		if err := q.emit(q.asked); err != nil {
			return err
		}
		r, err := g.person.ask(q)
		if err == errUnanswered {
			q.decide(verdict.Deny, q.By, q.Rule, nobody(q, "no answer came in time"))
			return err
		}
		if err == errInterrupted {
			q.decide(verdict.Deny, "person", q.Rule, ended)
			return err
		}
		if err != nil {
			q.decide(verdict.Deny, q.By, q.Rule, nobody(q, err.Error()))
			return nil
		}
		if r.word != "edit" {
			return g.settle(q, r)
		}
		// What was found out is about the command before the edit.
		*q = question{call: q.call, emit: q.emit}
		if g.cascade(q, r.command, verdict.Allow); q.Decision != verdict.Ask {
			if q.Decision == verdict.Allow {
				q.By = "person"
			}
			return nil
		}
	}
}

// settle turns a final reply into the decision.
func (g *gate) settle(q *question, r reply) error {
	yes := r.word == "yes" || (r.word == "allow" || r.word == "session" || r.word == "host") &&
		!q.needsYes()
	switch {
	case r.word == "quit":
		q.decide(verdict.Deny, "person", q.Rule, ended)
		return errQuit
	case !yes && r.word != "deny":
		q.decide(verdict.Deny, "person", q.Rule,
			fmt.Sprintf("the answer %q is not the yes that it needs", r.word))
	case !yes && r.reason == "":
		q.decide(verdict.Deny, "person", q.Rule, "the person said no")
	case !yes:
		q.decide(verdict.Deny, "person", q.Rule, "the person said no: "+r.reason)
	default:
		if r.word == "session" && q.kinds() != nil {
			g.grant(q)
		}
		if r.word == "host" {
			g.granted.hold("host", q.Grant.Host)
		}
		q.Decision, q.By = verdict.Allow, "person"
	}
	return nil
}

// needsYes reports whether the person has to type the whole word: for a command that
// leaves the sandbox, and for a script from the network that nobody has read.
func (q *question) needsYes() bool {
	fetched := func(p *classify.Part) bool { return p.Unread && p.Row == "pipe:net" }
	return q.Risk >= verdict.Privileged || slices.ContainsFunc(q.open, fetched)
}

// nobody returns the reason of a denial for lack of an answer.
func nobody(q *question, why string) string {
	return fmt.Sprintf("%s (%s): this needs approval, and %s", q.Reason, q.Risk, why)
}

// askEvent returns the question as an ask event.
func (q *question) askEvent() []byte {
	e := event.New("ask").Str("call_id", q.id).Str("risk", q.Risk.String()).Str("reason", q.Reason).
		OptStr("rule", q.Rule).Str("command", q.current()).OptStr("warning", q.warning).
		OptStr("safer", q.Safer).
		OptStr("session", strings.Join(q.kinds(), ", ")).OptStr("opens", lets(q.Grant))
	if !q.Grant.Empty() {
		e.Raw("grant", q.Grant.JSON())
	}
	if q.needsYes() {
		e.Str("needs", "yes")
	}
	return e.Line()
}
