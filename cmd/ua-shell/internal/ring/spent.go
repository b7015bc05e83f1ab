package ring

import (
	"ua/internal/common/event"
	"ua/internal/common/spending"
)

// Spent returns what the session has spent of its budget: its own questions, those of judges
// and those of subagents that a gateway has answered.
func (r *Ring) Spent() spending.Sum {
	return spending.Of(&r.own).Plus(spending.Of(&r.judges)).Plus(r.Gateway.Answered())
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

// answered passes on what the gateway reports: who asked, what the model proposed, and the cost.
func (r *Ring) answered(line []byte) {
	r.share()
	r.heard(line)
}

// share tells the gateways what others than those who ask them have spent.
func (r *Ring) share() {
	r.Gateway.Spent(r.Spent().Minus(r.Gateway.Answered()))
	r.judge.Spent(r.Spent().Minus(spending.Of(&r.judges)))
}
