package agent

import (
	"strings"
	"time"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"ua/internal/common/event"
	"ua/internal/common/style"
	"ua/internal/common/verdict"
)

// Where no sandbox is around the shell, nothing runs in it unasked but a plain change of
// folder and a plain assignment. What only reads runs in a read-only sandbox beside the shell,
// in its folder and with the variables that it exports; everything else is asked about.

// unasked goes on with a call that the gate allows and nobody was asked about. The shell's
// hook waits.
func (t *turn) unasked() {
	c := t.call
	c.look = plain(c.command, t.Shell)
	switch {
	case c.live:
		t.askHere("the model wants to run it in this shell, which is not in a sandbox")
	case c.delegates:
		t.askHere("ua keeps its runs and jobs where no sandbox beside this shell reaches")
	case c.judged:
		t.askHere("a model has judged it, and this shell is not in a sandbox")
	case c.look == "" && onlyLasts.MatchString(c.command):
		t.askHere("it changes this shell")
	default:
		if c.look == "" {
			c.look = "env " + strings.Join(t.names, " ")
		}
		t.phase = probing
		t.inquire(c)
	}
}

// inquire asks the hook, and once more if another program has read that.
func (t *turn) inquire(c *call) {
	t.meet.Ask(c.look)
	t.whileAt(c, probing, toWait, func() { t.inquire(c) })
}

// read runs the command in the sandbox.
func (t *turn) read() {
	c := t.call
	env, err := t.meet.Environ()
	if err == nil {
		t.phase, t.asked = executing, time.Now()
		c.read, err = t.ring.Read(c.id, inShell(c.command, t.Shell), c.limit.Milliseconds(), c.cwd,
			env, func(result []byte, why string) { t.hasRead(c, result, why) })
	}
	if err != nil {
		t.askHere("it can't be run in a sandbox: " + err.Error())
		return
	}
	t.command(c.command, verdict.ReadOnly.String())
	t.tick()
}

// hasRead shows what the command has printed, and answers the call with it. A command that
// was not run is asked about.
func (t *turn) hasRead(c *call, result []byte, why string) {
	if t.turn != t || t.call != c {
		return
	}
	c.read = nil
	if result == nil {
		t.askHere("there is no sandbox here (" + style.FirstLine(why, 100) + ")")
		return
	}
	output, _ := t.secrets.Text(event.Str(result, "output"))
	if shown := unframed(output); shown != "" {
		t.screen.Say("%s", printable(shown))
	}
	t.call, t.phase = nil, thinking
	t.commands++
	if status := gjson.GetBytes(result, "exit_code").Int(); c.interrupted {
		result, _ = sjson.SetBytes(result, "status", "interrupted")
		t.dropped = "not run: the command before it was interrupted"
	} else if status != 0 {
		t.dropped = "not run: the command before it failed"
	}
	result, _ = sjson.SetBytes(result, "output", output)
	result, _ = sjson.SetBytes(result, "cwd", t.tracker.Cwd)
	t.result(result)
	t.asked = time.Now()
	t.tick()
}

// unframed returns the text of a result without what marks it for a model.
func unframed(output string) string {
	output = strings.NewReplacer("<terminal_output>\n", "", "</terminal_output>", "").Replace(output)
	return strings.TrimRight(output, "\n")
}

// askHere asks the person about a call that the gate allows.
func (t *turn) askHere(why string) {
	t.call.here, t.phase = true, asking
	t.ring.Put(event.New("ask").Str("call_id", t.call.id).Str("command", t.call.command).
		Str("risk", verdict.ReadOnly.String()).Str("reason", why).Line())
}
