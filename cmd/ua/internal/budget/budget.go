// Package budget counts what a run takes and says when that is all that it may take.
package budget

import (
	"fmt"

	"ua/internal/common/style"
)

// Limits are the most that a run may take.
type Limits struct {
	Turns    int
	Calls    int // in one answer: a limit on turns does not bound what stands in one
	Commands int
	Tokens   int64   // input and output, cached or not; 0: any number
	USD      float64 // 0: any sum
}

// A Count is what a run has taken so far.
type Count struct {
	Turns    int
	Commands int
	calls    int // in this answer
	results  int // in this answer
	denied   int // of these
	denials  int // answers in a row with nothing but denied commands
}

// Turn counts a turn, unless a limit forbids it, and then says which. The run and its
// subagents have taken the tokens and the sum until now.
// ua-think holds the budgets too, for the conversation that it sees; the run may have more
// behind it.
func (c *Count) Turn(most Limits, tokens int64, usd float64) (why string) {
	if c.Turns >= most.Turns {
		return fmt.Sprintf("the limit of %s is reached", style.Plural(int64(most.Turns), "turn"))
	}
	if why := most.Overspent(tokens, usd); why != "" {
		return why
	}
	c.Turns++
	c.calls = 0
	return ""
}

// Overspent says which budget is spent by a run and its subagents, or "".
func (most Limits) Overspent(tokens int64, usd float64) (why string) {
	switch {
	case most.Tokens > 0 && tokens >= most.Tokens:
		return fmt.Sprintf("the budget of %d tokens is spent", most.Tokens)
	case most.USD > 0 && usd >= most.USD:
		return fmt.Sprintf("the budget of $%g is spent", most.USD)
	}
	return ""
}

// Call counts a command that the model calls for, and says which limit it is beyond, or "".
func (c *Count) Call(most Limits) (why string) {
	c.calls++
	c.Commands++
	switch {
	case c.calls > most.Calls:
		return fmt.Sprintf("the limit of %s in one answer is reached",
			style.Plural(int64(most.Calls), "command"))
	case c.Commands > most.Commands:
		return fmt.Sprintf("the limit of %s is reached",
			style.Plural(int64(most.Commands), "command"))
	}
	return ""
}
