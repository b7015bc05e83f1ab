package main

import (
	"bytes"
	"cmp"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"ua/internal/common/event"
	"ua/internal/common/prog"
)

// A watcher passes events on and runs hooks for them.
type watcher struct {
	*gate
	w     *event.Writer
	calls map[string]*watched // those of this turn, by id
}

// A watched call is a call and its verdict, kept until its result comes. An event that has not
// come is null.
type watched struct{ call, verdict []byte }

// watch runs the filter after ua-exec. It asks the post_exec hooks about each result
// before the model sees it, and tells other hooks of the start and the end of sessions
// and subagents.
func watch(env *prog.Env, o options, operands []string) error {
	if len(operands) > 0 {
		return prog.Errorf(prog.Trouble, "unexpected operand %q", operands[0])
	}
	g, err := newGate(env, o)
	if err != nil {
		return err
	}
	x := &watcher{gate: g, w: event.NewWriter(env.Out()), calls: map[string]*watched{}}
	return event.Each(event.NewReader(env.Stdin), "ua-gate", x.w, x.take)
}

// take passes on one event, after the hooks for it.
func (x *watcher) take(line []byte) error {
	switch event.Type(line) {
	// The IDs of calls are those of one turn.
	case "turn":
		clear(x.calls)
	case "tool_call":
		x.calls[event.Str(line, "id")] = &watched{bytes.Clone(line), []byte("null")}
	case "verdict":
		if c := x.calls[event.Str(line, "call_id")]; c != nil {
			c.verdict = bytes.Clone(line)
		}
	case "tool_result":
		return x.w.Write(x.result(line))
	case "run":
		return x.session(line)
	case "summary":
		x.tell("session_end", line)
	case "subagent":
		if event.Str(line, "state") == "start" {
			x.tell("subagent_start", line)
		} else {
			x.tell("subagent_stop", line)
		}
	}
	return x.w.Write(line)
}

// result returns the result as the post_exec hooks leave it. A denial withholds the
// output and its media; modify changes the text. The other members still say what has
// happened.
func (x *watcher) result(line []byte) []byte {
	line = bytes.Clone(line)
	c := x.calls[event.Str(line, "call_id")]
	if c == nil {
		c = &watched{[]byte("null"), []byte("null")}
	}
	for _, h := range x.policy.Hooks["post_exec"] {
		in := event.New("post_exec").Str("cwd", cmp.Or(event.Str(line, "cwd"), x.cwd)).
			Raw("call", c.call).Raw("verdict", c.verdict).Raw("result", line)
		switch o := x.opinion(&h, in.Line(), "output", "allow", "deny", "modify"); o.Decision {
		case "deny":
			return rewritten(line, "withheld by a hook: "+o.Reason, true)
		case "modify":
			line = rewritten(line, o.Output, false)
		}
	}
	return line
}

// rewritten returns a result with another output, and without media if bare.
func rewritten(line []byte, output string, bare bool) []byte {
	out, err := sjson.SetRawBytes(line, "output", event.AppendString(nil, output))
	if err == nil && bare && gjson.GetBytes(out, "media").Exists() {
		out, err = sjson.DeleteBytes(out, "media")
	}
	if err != nil { // cannot be: the line is an object
		return event.New("tool_result").Str("call_id", event.Str(line, "call_id")).Str("output",
			output).Line()
	}
	return out
}

// session asks the session_start hooks. A denial ends the stream.
func (x *watcher) session(line []byte) error {
	for _, h := range x.policy.Hooks["session_start"] {
		in := event.New("session_start").Raw("event", line)
		if o := x.opinion(&h, in.Line(), "", "allow", "deny"); o.Decision == "deny" {
			why := "a hook refuses the session: " + o.Reason
			x.w.Write(event.New("error").Str("stage", "ua-gate").Str("message", why).
				Bool("retryable", false).Int("status", prog.No).Line())
			return prog.Errorf(prog.No, "%s", why)
		}
	}
	return x.w.Write(line)
}

// tell runs the hooks that are only told of an event.
func (x *watcher) tell(name string, line []byte) {
	for _, h := range x.policy.Hooks[name] {
		if _, err := x.run(&h, event.New(name).Raw("event", line).Line()); err != nil {
			x.env.Warnf("%s: hook %s: %v", h.Where, h.Command[0], err)
		}
	}
}
