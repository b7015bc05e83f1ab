package agenthooks

import (
	"strings"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// A Call is what an agent tells of a call, in the agent's own words.
type Call struct {
	Event, Tool, Cwd string
	Input            gjson.Result
}

// ReadCall reads a hook's input. A member that occurs twice is an error, since the agent
// may run another of them than the one that is judged.
func ReadCall(text []byte) (c Call, err error) {
	in := gjson.ParseBytes(text) // reads no deeper than it is asked
	if !event.ValidJSON(text) || !in.IsObject() {
		return c, prog.Errorf(prog.Trouble, "stdin is not a JSON object, so the call is denied")
	}
	if twice := twiceIn(in); twice != "" {
		return c, prog.Errorf(prog.Trouble, "the member %q occurs twice, so the call is denied",
			twice)
	}
	first := func(names ...string) (found gjson.Result) {
		for _, name := range names {
			switch v := in.Get(name); {
			case !v.Exists():
			case !found.Exists():
				found = v
			case v.Raw != found.Raw: // the agent may take either
				err = prog.Errorf(prog.Trouble, "the call has two members for one thing, %q among them",
					name)
			}
		}
		return found
	}
	c = Call{
		Event: first("hook_event_name", "event").Str,
		Tool:  first("tool_name", "toolName", "tool").Str,
		Cwd:   in.Get("cwd").Str,
		Input: first("tool_input", "toolArgs", "args"),
	}
	if err == nil && c.Tool == "" && c.Before() {
		err = prog.Errorf(prog.Trouble, "the call names no tool, so it is denied")
	}
	if err != nil {
		return c, err
	}
	// Some agents give the input as JSON inside of a string.
	if c.Input.Type == gjson.String && event.ValidJSON([]byte(c.Input.Str)) {
		c.Input = gjson.Parse(c.Input.Str)
	}
	if twice := twiceIn(c.Input); twice != "" {
		return c, prog.Errorf(prog.Trouble, "the member %q occurs twice, so the call is denied",
			twice)
	}
	return c, nil
}

// twiceIn returns the name of a member that occurs twice in the object, or "". Readers
// that ignore case, as encoding/json does, take "Command" for "command".
func twiceIn(object gjson.Result) (twice string) {
	seen := map[string]bool{}
	if !object.IsObject() {
		return ""
	}
	object.ForEach(func(key, _ gjson.Result) bool {
		name := strings.ToLower(key.Str)
		if seen[name] {
			twice = key.Str
		}
		seen[name] = true
		return twice == ""
	})
	return twice
}

// Before reports whether the event comes before a tool runs. No event counts as one, and so does
// each that is not known to come after it.
func (c *Call) Before() bool {
	event := strings.ToLower(c.Event)
	return !strings.HasPrefix(event, "post") && !strings.HasPrefix(event, "after")
}
