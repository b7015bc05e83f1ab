package agent

import (
	"fmt"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
)

// plan shows the calls that follow, each with the risk that the gate sees in it, before
// the first question of an answer. It reports whether there was a plan to show.
func (t *turn) plan() (shown bool) {
	var rest []string
	planned := t.planned
	for _, line := range t.lines {
		if event.Type(line) == "tool_call" {
			rest = append(rest, event.Str(line, "input.command"))
		}
	}
	if t.planned = true; len(rest) == 0 || planned {
		return false
	}
	t.screen.Say("%s", t.screen.Paint.Bold(fmt.Sprintf("The plan is %d commands:", len(rest)+1)))
	t.command(event.Str(t.ask.event, "command"), event.Str(t.ask.event, "risk"))
	for i, command := range rest {
		risk := ""
		if i < plannedRisks {
			if out, _ := t.ring.Level(command, t.tracker.Cwd).Output(); len(out) > 0 {
				risk = gjson.GetBytes(out, "level").Str
			}
		}
		t.command(command, risk)
	}
	return true
}
