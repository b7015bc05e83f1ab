package main

import (
	"context"
	"fmt"

	"ua/internal/common/event"
	"ua/internal/common/style"
)

// A choice is an answer that the editor's person can give. Nothing is chosen unless the person
// does: a question that is cancelled, or answered in any other way, is a no.
type choice struct {
	ID   string `json:"optionId"`
	Name string `json:"name"`
	Kind string `json:"kind"`
}

// put asks the editor's person about a call, and returns the ID of the choice, "" for none.
func (t *turn) put(ctx context.Context, call map[string]any, choices ...choice) string {
	got := t.a.conn.call(ctx, "session/request_permission",
		map[string]any{"sessionId": t.s.id, "toolCall": call, "options": choices})
	if got.Get("outcome.outcome").Str != "selected" {
		return ""
	}
	return got.Get("outcome.optionId").Str
}

// ask asks whether a command may run. The events go on meanwhile, and the first answer holds,
// wherever it comes from.
func (t *turn) ask(line []byte) {
	id := event.Str(line, "call_id")
	c := t.calls[id]
	if c == nil {
		return
	}
	command := event.Str(line, "command")
	about := fmt.Sprintf("%s: %s\n\n%s", event.Str(line, "risk"),
		style.Printable(event.Str(line, "reason")), fenced(style.Printable(command)))
	ctx, answered := context.WithCancel(t.ctx)
	c.decided = answered
	t.asks.Go(func() {
		defer answered()
		chosen := t.put(ctx, map[string]any{"toolCallId": id, "status": "pending",
			"title": style.FirstLine(command, 200), "kind": "execute", "content": content(about),
			"rawInput": map[string]any{"command": command}},
			choice{"yes", "Run it", "allow_once"}, choice{"no", "Don't run it", "reject_once"})
		if ctx.Err() != nil {
			return // it is decided already, or the run ends
		}
		if chosen != "yes" {
			chosen = "no"
		}
		if err := t.run.Answer(id, chosen); err != nil {
			t.a.env.Warnf("%v", err)
		}
	})
}
