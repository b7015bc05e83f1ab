package ring

import (
	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/spending"
)

// Spent returns what the session has spent of its budget: its own questions, those of judges
// and those of subagents that a gateway has answered.
func (r *Ring) Spent() spending.Sum {
	return spending.Of(&r.own).Plus(spending.Of(&r.judges)).Plus(spending.Of(&r.below))
}

// count counts what an event that the journal has kept tells of the session's own use.
func (r *Ring) count(line []byte) {
	switch event.Type(line) {
	case "judge":
		r.judges.Add(line)
	case "response", "error":
		r.own.Add(line)
	default:
		return
	}
	r.share()
}

// answered counts what the gateway reports, and passes it on: who asked, what the model
// proposed, and the cost. The journal may not have it yet when the next question comes.
func (r *Ring) answered(line []byte) {
	switch event.Type(line) {
	case "model_request":
		r.below.Use(gjson.GetBytes(line, "usage"))
		r.share()
	case "proposal":
	default:
		return
	}
	r.heard(line)
}

// share tells the gateways what others than those who ask them have spent.
func (r *Ring) share() {
	if r.Gateway != nil {
		r.Gateway.Spent(r.Spent().Minus(spending.Of(&r.below)))
	}
	if r.judge != nil {
		r.judge.Spent(r.Spent().Minus(spending.Of(&r.judges)))
	}
}
