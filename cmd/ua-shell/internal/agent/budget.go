package agent

import (
	"fmt"

	"ua/internal/common/event"
)

// Limits bound what an agent asks and runs.
type Limits struct {
	Questions int     // to the model, in a turn
	Commands  int     // in a turn
	Tokens    int64   // in the session, 0 for no limit
	USD       float64 // in the session, 0 for no limit
}

// spent says which budget the session has used up, "" for none.
func (a *Agent) spent() string {
	switch l, s := a.Limits, a.ring.Spent(); {
	case l.Tokens > 0 && s.Tokens >= l.Tokens:
		return fmt.Sprintf("the budget of %d tokens is used up", l.Tokens)
	case l.USD > 0 && s.USD >= l.USD:
		return fmt.Sprintf("the budget of $%g is used up", l.USD)
	}
	return ""
}

// turnEvent returns the event that asks the model. With a budget it tells what all have
// spent of it, which ua-think does not see.
func (a *Agent) turnEvent() []byte {
	e := event.New("turn")
	if a.Limits.Tokens > 0 || a.Limits.USD > 0 {
		e.Raw("spent", a.ring.Spent().JSON())
	}
	return e.Line()
}
