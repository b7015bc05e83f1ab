package agent

import (
	"strings"
	"time"

	"ua/cmd/ua-shell/internal/shellcommand"
	"ua/internal/common/event"
	"ua/internal/common/style"
	"ua/internal/common/verdict"
)

// commandStarted is called when the command of a call begins to run. A call with a
// timeout gets Ctrl-C when its time has passed.
func (t *turn) commandStarted() {
	if t.phase != typed {
		return
	}
	t.phase, t.ran = executing, time.Now()
	t.commands++
	if c := t.call; c.limit > 0 {
		t.whileAt(c, executing, c.limit, func() {
			c.limited = true
			t.relay.Type([]byte{3})
		})
	}
}

// commandEnded answers the call with the command's status and output.
func (t *turn) commandEnded(did *shellcommand.Command) {
	c := t.call
	if c == nil || t.phase != executing {
		return
	}
	t.call, t.phase = nil, thinking
	_ = t.Reach(nil)
	if c.own {
		t.lookForAgents()
		t.release()
		return
	}
	output, got := did.Output(t.secrets, shellcommand.Text, 0)
	status := "run"
	switch {
	case c.other != "":
		status = "interrupted"
		output += "[ua-shell: the shell ran a different line from the one you approved, which was " +
			"interrupted: " +
			printable(c.other) + "]\n"
	case c.limited:
		status = "timeout"
	case c.interrupted:
		status = "interrupted"
		output += "[ua-shell: the person pressed Ctrl-C]\n"
	}
	b := event.New("tool_result").Str("call_id", c.id).Str("status", status).Int("exit_code",
		int64(did.Status)).
		Bool("truncated", got.Cut).Int("bytes", did.Seen()).Int("bytes_kept", got.Kept).
		Str("output", strings.TrimSuffix(output, "\n")).Int("duration_ms",
		did.Took.Milliseconds()).Str("cwd", t.tracker.Cwd)
	if t.Profile != "" {
		b.Str("profile", t.Profile)
	} else {
		b.Str("profile", string(verdict.ProfileNone))
	}
	switch {
	// Later commands of the same answer may rely on this one.
	case status != "run":
		t.dropped = "not run: the command before it was interrupted"
	case did.Status != 0:
		t.dropped = "not run: the command before it failed"
	}
	if c.delegates {
		t.lookForAgents()
	}
	t.result(b.Line())
	t.asked = time.Now()
	t.tick()
	if c.other != "" {
		t.screen.Say("%s the shell ran a different line from the one you approved",
			t.screen.Paint.Red(style.Mark("✗")))
		t.over = true
	}
}

// notRun is called when the prompt comes again although the command did not run: it was
// not a whole line, or the history expansion failed.
func (t *turn) notRun() {
	c := t.call
	if c == nil || t.phase != typed {
		return
	}
	t.call, t.phase = nil, thinking
	_ = t.Reach(nil)
	why := c.failure
	if why == "" {
		why = "the shell did not run it"
	}
	if c.own {
		t.fail(why)
		return
	}
	t.dropped = "not run: the command before it could not be run"
	t.refuse(c.id, "refused", why)
}
