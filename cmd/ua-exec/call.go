package main

import (
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/verdict"
)

// A call is a tool_call and what its verdicts say.
type call struct {
	id, name   string
	command    string
	timeout    time.Duration // 0: the default
	final      bool          // fold carriage-return progress
	background bool

	risk      verdict.Level
	profile   verdict.Profile
	delegates bool
}

// newCall reads a tool_call. The first of members of the same name counts, as
// in ua-gate, so that both judge and run the same bytes.
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
	return c
}

// judged takes up what the verdicts say.
func (c *call) judged(j judgement) {
	c.risk, c.profile, c.delegates = j.risk, j.profile, j.delegates
	if j.changes {
		c.command = j.command
	}
}
