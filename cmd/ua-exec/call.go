package main

import (
	"fmt"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
)

// A call is a tool_call together with what its verdict says.
type call struct {
	id, name   string
	command    string
	bad        string        // why it can't be run, or ""
	timeout    time.Duration // 0: the default
	final      bool          // fold carriage-return progress
	background bool
	judgement
}

// newCall reads a tool_call. A call with two members of the same name is not run: a gate
// of the user's own may have judged the member that would not run here.
func newCall(line []byte) *call {
	in := gjson.GetBytes(line, "input")
	c := &call{
		id:         event.Str(line, "id"),
		name:       event.Str(line, "name"),
		final:      in.Get("output").Str == "final",
		background: in.Get("background").Bool(),
	}
	if v := in.Get("command"); v.Type == gjson.String {
		c.command = v.Str
	}
	if ms := in.Get("timeout_ms").Float(); ms > 0 {
		c.timeout = time.Duration(min(ms, 1e9) * float64(time.Millisecond))
	}
	if name := event.Twice(gjson.ParseBytes(line), "id", "name", "input"); name != "" {
		c.bad = fmt.Sprintf("the call has two members %q", name)
	} else if name := event.Twice(in, "command", "timeout_ms", "output", "background"); name != "" {
		c.bad = fmt.Sprintf("the call's input has two members %q", name)
	}
	return c
}

// judged takes over what the verdict says.
func (c *call) judged(j judgement) {
	if c.judgement = j; j.changes {
		c.command = j.command
	}
}
