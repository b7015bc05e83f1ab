package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/verdict"
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

// A judgement is what a verdict says about a call.
type judgement struct {
	denied    string // why the call must not run, or ""
	risk      verdict.Level
	profile   verdict.Profile
	delegates bool
	command   string // what to run in place of the call's own command
	changes   bool   // command counts
	grant     verdict.Grant
}

// parseJudgement parses a verdict. A verdict that cannot be understood completely denies
// the call.
func parseJudgement(line []byte) (j judgement) {
	var err error
	if j.risk, err = verdict.ParseLevel(event.Str(line, "risk")); err != nil {
		j.denied = "the verdict names no risk level: " + err.Error()
		return j
	}
	j.profile, err = verdict.ParseProfile(event.Str(line, "profile"))
	j.delegates = gjson.GetBytes(line, "delegates").Bool()
	switch verdict.Decision(event.Str(line, "decision")) {
	case verdict.Allow:
	case verdict.Ask:
		j.denied = reason(line, "it needs a person's approval, and none was given")
	default:
		j.denied = reason(line, "the gate denied it")
	}
	var bad error
	if grant := gjson.GetBytes(line, "grant"); grant.Exists() {
		j.grant, bad = verdict.ParseGrant([]byte(grant.Raw))
	}
	changed := gjson.GetBytes(line, "command")
	j.command, j.changes = changed.Str, changed.Exists()
	// Another reader could take the other of two members.
	switch name := event.Twice(gjson.ParseBytes(line), "call_id", "risk", "decision", "profile",
		"delegates", "command", "grant"); {
	case j.denied != "":
	case !event.Valid(line): // the reader of lines has seen to that, too
		j.denied = "the verdict is no event"
	case name != "":
		j.denied = fmt.Sprintf("the verdict has two members %q", name)
	case j.risk == verdict.Denied:
		j.denied = reason(line, "commands of risk denied never run")
	case err != nil:
		j.denied = "the verdict names no sandbox profile: " + err.Error()
	case bad != nil:
		j.denied = bad.Error()
	case j.changes && changed.Type != gjson.String:
		j.denied = "the verdict changes the command to something that is no text"
	}
	return j
}

// beyond reports whether the call needs more than the profile holds: only a sandbox of its own
// can be opened by a grant.
func (j *judgement) beyond(p verdict.Profile) bool {
	return !j.profile.Within(p) || !j.grant.Empty()
}

// reason returns the reason that the verdict gives, or fallback.
func reason(line []byte, fallback string) string {
	if s := strings.TrimSpace(event.Str(line, "reason")); s != "" {
		return s
	}
	return fallback
}
