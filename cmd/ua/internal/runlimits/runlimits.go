// Package runlimits counts what a run uses and says when that has reached a limit.
package runlimits

import (
	"fmt"

	"ua/internal/common/spending"
	"ua/internal/common/style"
)

// Limits is the most that a run may use.
type Limits struct {
	Turns    int `json:"max_turns,omitempty"`    // requests to the model
	Calls    int `json:"max_calls,omitempty"`    // in one answer
	Commands int `json:"max_commands,omitempty"` // of the whole run, denied ones included
	spending.Budget
}

// A Count is what a run has used so far.
type Count struct {
	// Both count from the start of the run.
	Turns    int
	Commands int
	calls    int // in this answer
	results  int // in this answer
	denied   int // of these
	denials  int // answers in a row with nothing but denied commands
}

// Turn counts a turn, unless a limit forbids it: then it returns that limit in words,
// otherwise "". spent is what the run and its subagents have used so far.
// ua-think enforces the budgets too, but only for the conversation that it sees; a run
// that was resumed has more behind it.
func (c *Count) Turn(most Limits, spent spending.Sum) (why string) {
	if c.Turns >= most.Turns {
		return fmt.Sprintf("reached the limit of %s", style.Plural(int64(most.Turns), "turn"))
	}
	if why := most.Overspent(spent); why != "" {
		return why
	}
	c.Turns++
	c.calls = 0
	return ""
}

// Call counts a command that the model asks for. It returns the limit that the command
// exceeds, in words, or "".
func (c *Count) Call(most Limits) (why string) {
	c.calls++
	c.Commands++
	switch {
	case c.calls > most.Calls:
		return fmt.Sprintf("reached the limit of %s in one answer",
			style.Plural(int64(most.Calls), "command"))
	case c.Commands > most.Commands:
		return fmt.Sprintf("reached the limit of %s",
			style.Plural(int64(most.Commands), "command"))
	}
	return ""
}
