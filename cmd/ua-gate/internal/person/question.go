package person

import (
	"errors"
	"strings"

	"ua/internal/common/event"
	"ua/internal/common/verdict"
)

// A Question is what a person is asked.
type Question struct {
	ID, Command  string // of the call, and what would run now
	Risk         verdict.Level
	Reason, Rule string
	Warning      string        // the judge's
	Safer        string        // the command that the judge proposes
	Kinds        []string      // what an answer for the session allows; nil if none does
	Grant        verdict.Grant // what a yes opens
	Opens        string        // the same in words
	Word         bool          // the person has to type the whole word yes
	Emit         func([]byte) error
	event        []byte
	whole        bool // it shows the command however long it is
}

// Tell writes the question as an ask event.
func (q *Question) Tell() error {
	e := event.New("ask").Str("call_id", q.ID).Str("risk", q.Risk.String()).Str("reason", q.Reason).
		OptStr("rule", q.Rule).Str("command", q.Command).OptStr("warning", q.Warning).
		OptStr("safer", q.Safer).
		OptStr("session", strings.Join(q.Kinds, ", ")).OptStr("opens", q.Opens)
	if !q.Grant.Empty() {
		e.Raw("grant", q.Grant.JSON())
	}
	if q.Word {
		e.Str("needs", "yes")
	}
	q.event = e.Line()
	return q.Emit(q.event)
}

// A Reply is a person's answer.
type Reply struct {
	Word    string // allow, yes (typed in full), deny, session, host, edit or quit
	Command string // the edited command
	Reason  string // what the person says to the model with a denial
}

// replyOf reads an answer event.
func replyOf(line []byte) Reply {
	return Reply{event.Str(line, "decision"), event.Str(line, "command"), event.Str(line, "reason")}
}

// ErrUnanswered is the error of a question that nobody has answered, at a terminal or from
// elsewhere. The run ends and can go on later.
var ErrUnanswered = errors.New("no answer came in time; ua resume last goes on, and asks again")

// ErrInterrupted is the error of a question at which Ctrl-C came.
var ErrInterrupted = errors.New("interrupted at a question")
