package main

import (
	"errors"
	"time"

	"ua/internal/common/event"
	uarun "ua/internal/common/run"
	"ua/internal/common/runs"
)

// errUnanswered is the error of a question that nobody has answered, at a terminal or from
// elsewhere. The run ends and can go on later.
var errUnanswered = errors.New("no answer came in time; ua resume last goes on, and asks again")

// lookEvery is how often an open question looks for an answer from elsewhere.
const lookEvery = 200 * time.Millisecond

// An afar is the run to whose questions ua answer gives answers, nil for none.
type afar struct{ uarun.Run }

// take takes the answer to a question, if it has come, and writes it as an event.
func (a *afar) take(q *question) (r reply, came bool, err error) {
	text := runs.Answered(a.Run, q.asked)
	if text == nil {
		return r, false, nil
	}
	r = reply{event.Str(text, "decision"), event.Str(text, "command"), event.Str(text, "reason")}
	return r, true, q.emit(text)
}

// wait waits for an answer without a terminal.
func (t *terminal) wait(q *question) (reply, error) {
	for end := time.Now().Add(t.limit); time.Now().Before(end); time.Sleep(lookEvery) {
		if r, came, err := t.afar.take(q); came || err != nil {
			return r, err
		}
	}
	return reply{}, errUnanswered
}
