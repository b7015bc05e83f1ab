package agent

import "fmt"

// Limits bound what an agent asks and runs.
type Limits struct {
	Questions int     // to the model, in a turn
	Commands  int     // in a turn
	Tokens    int64   // in the session, 0 for no limit
	USD       float64 // in the session, 0 for no limit
}

// spent says which budget the session has used up, "" for none.
func (a *Agent) spent() string {
	switch l := a.Limits; {
	case l.Tokens > 0 && a.tally.TokensIn+a.tally.TokensOut >= l.Tokens:
		return fmt.Sprintf("the budget of %d tokens is spent", l.Tokens)
	case l.USD > 0 && a.tally.CostUSD >= l.USD:
		return fmt.Sprintf("the budget of $%g is spent", l.USD)
	}
	return ""
}
