package agent

import (
	"ua/internal/common/event"
	"ua/internal/common/spending"
)

// Limits bound what an agent asks and runs.
type Limits struct {
	Questions       int // to the model, in a turn
	Commands        int // in a turn
	spending.Budget     // in the session
}

// turnEvent returns the event that asks the model. With a budget it tells what all have
// spent of it, which ua-think does not see.
func (a *Agent) turnEvent() []byte {
	e := event.New("turn")
	if a.Limits.Budget != (spending.Budget{}) {
		e.Raw("spent", a.ring.Spent().JSON())
	}
	return e.Line()
}
