package main

import (
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/verdict"
)

// A call is a tool_call and what its verdict says.
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

// judge takes up a verdict on the call and returns why it must not run, or "".
// A verdict that can't be read whole lets nothing through.
func (c *call) judge(line []byte) (denied string) {
	risk, err := verdict.ParseLevel(event.Str(line, "risk"))
	if err != nil {
		return "the verdict names no risk level: " + err.Error()
	}
	profile, err := verdict.ParseProfile(event.Str(line, "profile"))
	c.risk, c.profile = risk, profile
	c.delegates = gjson.GetBytes(line, "delegates").Bool()
	switch verdict.Decision(event.Str(line, "decision")) {
	case verdict.Allow:
	case verdict.Ask:
		return reason(line, "it needs a person's approval, and none was given")
	default:
		return reason(line, "the gate denied it")
	}
	if risk == verdict.Denied {
		return reason(line, "commands of risk denied never run")
	}
	if err != nil {
		return "the verdict names no sandbox profile: " + err.Error()
	}
	if changed := gjson.GetBytes(line, "command"); changed.Exists() {
		if changed.Type != gjson.String {
			return "the verdict changes the command to something that is no text"
		}
		c.command = changed.Str
	}
	return ""
}

// reason is the verdict's own reason, or fallback.
func reason(line []byte, fallback string) string {
	if s := event.Str(line, "reason"); s != "" {
		return s
	}
	return fallback
}
