package agent

import (
	"time"

	"ua/internal/common/event"
)

// twice is the time within which a second Ctrl-C ends the turn.
const twice = time.Second

// cancel ends the turn at the person's Ctrl-C. The prompt comes back at once.
func (t *turn) cancel() {
	if !t.done {
		t.ring.Interrupt()
	}
	t.drop("the person pressed Ctrl-C: this was not run")
	t.screen.EndThought()
	t.screen.Say("%s", t.screen.Paint.Dim("^C"))
	t.finish()
}

// drop answers the calls that are left of the model's answer without running them. Each
// call needs a result before the model is asked again.
func (t *turn) drop(why string) {
	if t.call != nil && t.call.read != nil {
		t.call.read.Stop()
	}
	if t.call != nil && !t.call.own {
		t.refuse(t.call.id, "denied", why)
	}
	t.call = nil
	for _, line := range t.lines {
		if event.Type(line) == "tool_call" {
			t.refuse(event.Str(line, "id"), "denied", why)
		}
	}
	t.lines, t.ask = nil, nil
}

// refuse answers a call that is not run, with the status and the reason.
func (t *turn) refuse(id, status, why string) {
	_ = t.result(event.New("tool_result").Str("call_id", id).Str("output", why).Bool(
		"truncated", false).Int("duration_ms", 0).Str("status", status).Line())
}
