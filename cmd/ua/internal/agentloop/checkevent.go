package agentloop

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/style"
)

// fromCheck makes a check event of the result of a check. All else that its stage writes about
// the call stays out of the journal.
func (l *loop) fromCheck(line []byte) {
	var seal []byte
	switch event.Type(line) {
	case "tool_result":
		if l.o.seals() {
			l.proof.result = slices.Clone(line)
			return
		}
	case "sealed":
		if seal, line = line, l.proof.result; line == nil {
			return
		}
	case "error", "net", "guarded":
		l.toJournal.Offer(line)
		return
	default:
		return
	}
	p := &l.proof
	code := gjson.GetBytes(line, "exit_code")
	passed := event.Str(line, "call_id") == "check" && code.Exists() && code.Int() == 0 &&
		event.Str(line, "limit") == "" && event.Str(line, "signal") == "" &&
		!gjson.GetBytes(seal, "touched.0").Exists()
	e := event.New("check").Str("command", l.o.Until[p.next]).Int("round", int64(p.round)).
		Int("tries", int64(l.o.rounds())).Bool("passed", passed).
		OptStr("status", event.Str(line, "status")).OptStr("signal", event.Str(line, "signal")).
		OptStr("limit", event.Str(line, "limit"))
	if code.Exists() {
		e.Int("exit_code", code.Int())
	}
	for _, name := range []string{"changed", "touched"} {
		if list := gjson.GetBytes(seal, name); list.IsArray() {
			e.Raw(name, []byte(list.Raw))
		}
	}
	l.toJournal.Offer(e.Str("output", event.Str(line, "output")).Str("profile", l.o.Profile).
		Int("duration_ms", gjson.GetBytes(line, "duration_ms").Int()).Line())
}

// noteCheck takes up the event of a check that has ended and is kept.
func (l *loop) noteCheck(line []byte) {
	p := &l.proof
	if !p.running {
		return
	}
	p.kept = true
	touched := l.noteSeal(line)
	if gjson.GetBytes(line, "passed").Bool() {
		return
	}
	p.failure = fmt.Sprintf("the check failed with status %d: %s", gjson.GetBytes(line,
		"exit_code").Int(), style.FirstLine(event.Str(line, "command"), 100))
	if !gjson.GetBytes(line, "exit_code").Exists() {
		p.failure = "the check did not run: " + style.FirstLine(event.Str(line, "output"), 200)
	}
	p.failure = cmp.Or(touched, p.failure)
	l.show.Warn(p.failure)
}

// rounds returns how many rounds of checks the run has.
func (o *options) rounds() int {
	if o.Tries > 0 {
		return o.Tries
	}
	return defaultTries
}

// defaultTries is how many rounds of checks a run has.
const defaultTries = 5
