// Package call reads what the model asks for and what a verdict says of it.
package call

import (
	"fmt"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/verdict"
)

// A Call is a tool_call together with what its verdict says.
type Call struct {
	ID, Name   string
	Command    string
	Bad        string        // why it can't be run, or ""
	Timeout    time.Duration // 0: the default
	Final      bool          // fold carriage-return progress
	Background bool
	Judgement
}

// New reads a tool_call. A call with two members of the same name is not run: a gate
// of the user's own may have judged the member that would not run here.
func New(line []byte) *Call {
	in := gjson.GetBytes(line, "input")
	c := &Call{
		ID:         event.Str(line, "id"),
		Name:       event.Str(line, "name"),
		Final:      in.Get("output").Str == "final",
		Background: in.Get("background").Bool(),
	}
	if v := in.Get("command"); v.Type == gjson.String {
		c.Command = v.Str
	}
	if ms := in.Get("timeout_ms").Float(); ms > 0 {
		c.Timeout = time.Duration(min(ms, 1e9) * float64(time.Millisecond))
	}
	if name := event.Twice(gjson.ParseBytes(line), "id", "name", "input"); name != "" {
		c.Bad = fmt.Sprintf("the call has two members %q", name)
	} else if name := event.Twice(in, "command", "timeout_ms", "output", "background"); name != "" {
		c.Bad = fmt.Sprintf("the call's input has two members %q", name)
	}
	return c
}

// Judged takes over what the verdict says.
func (c *Call) Judged(j Judgement) {
	if c.Judgement = j; j.changes {
		c.Command = j.command
	}
}

// A Judgement is what a verdict says about a call.
type Judgement struct {
	Denied    string // why the call must not run, or ""
	Risk      verdict.Level
	Profile   verdict.Profile
	Delegates bool
	command   string // what to run in place of the call's own command
	changes   bool   // command counts
	Grant     verdict.Grant
}

// Parse parses a verdict. A verdict that cannot be understood completely denies
// the call.
func Parse(line []byte) (j Judgement) {
	var err error
	if j.Risk, err = verdict.ParseLevel(event.Str(line, "risk")); err != nil {
		j.Denied = "the verdict names no risk level: " + err.Error()
		return j
	}
	j.Profile, err = verdict.ParseProfile(event.Str(line, "profile"))
	j.Delegates = gjson.GetBytes(line, "delegates").Bool()
	switch verdict.Decision(event.Str(line, "decision")) {
	case verdict.Allow:
	case verdict.Ask:
		j.Denied = reason(line, "it needs a person's approval, and none was given")
	default:
		j.Denied = reason(line, "the gate denied it")
	}
	var bad error
	if grant := gjson.GetBytes(line, "grant"); grant.Exists() {
		j.Grant, bad = verdict.ParseGrant([]byte(grant.Raw))
	}
	changed := gjson.GetBytes(line, "command")
	j.command, j.changes = changed.Str, changed.Exists()
	// Another reader could take the other of two members.
	switch name := event.Twice(gjson.ParseBytes(line), "call_id", "risk", "decision", "profile",
		"delegates", "command", "grant"); {
	case j.Denied != "":
	case !event.Valid(line): // the reader of lines has seen to that, too
		j.Denied = "the verdict is no event"
	case name != "":
		j.Denied = fmt.Sprintf("the verdict has two members %q", name)
	case j.Risk == verdict.Denied:
		j.Denied = reason(line, "commands of risk denied never run")
	case err != nil:
		j.Denied = "the verdict names no sandbox profile: " + err.Error()
	case bad != nil:
		j.Denied = bad.Error()
	case j.changes && changed.Type != gjson.String:
		j.Denied = "the verdict changes the command to something that is no text"
	}
	return j
}

// Beyond reports whether the call needs more than the profile holds: only a sandbox of its own
// can be opened by a grant.
func (j *Judgement) Beyond(p verdict.Profile) bool {
	return !j.Profile.Within(p) || !j.Grant.Empty()
}

// reason returns the reason that the verdict gives, or fallback.
func reason(line []byte, fallback string) string {
	if s := strings.TrimSpace(event.Str(line, "reason")); s != "" {
		return s
	}
	return fallback
}

// NotRun returns the result of a call that was not run.
func (c *Call) NotRun(status, why string) []byte {
	return event.New("tool_result").Str("call_id", c.ID).Str("output", why).
		Bool("truncated", false).Int("duration_ms", 0).Str("status", status).Line()
}
