package agent

import (
	"fmt"
	"strings"
	"time"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"ua/cmd/ua-shell/internal/record"
	"ua/internal/common/event"
	"ua/internal/common/style"
	"ua/internal/common/verdict"
)

// A call is a command that the model wants to run.
type call struct {
	id, command string
	cwd         string        // in which it was judged
	limit       time.Duration // 0: none
	delegates   bool
	key         string // that has the shell take the command, "" to paste it
	other       string // what ran in place of the command, "" for nothing
	odd         string // why the shell did not run it, "" if it did or may still
	limited     bool   // the limit has ended it
	interrupted bool   // the person has
}

// called has the gate judge a call, in the folder that the shell is in now.
func (t *turn) called(line []byte) {
	t.screen.EndThought()
	t.screen.EndLine()
	t.calls++
	c := &call{id: event.Str(line, "id"), command: event.Str(line, "input.command")}
	if ms := gjson.GetBytes(line, "input.timeout_ms").Float(); ms > 0 {
		c.limit = time.Duration(min(ms, 1e9)) * time.Millisecond
	}
	if most := t.Limits.Commands; t.commands >= most && t.dropped == "" {
		t.dropped = fmt.Sprintf("not run: this turn may run no more than %s",
			style.Plural(int64(most), "command"))
	}
	if t.dropped != "" {
		t.refuse(c.id, "denied", t.dropped)
		return
	}
	t.call, t.phase = c, judging
	c.cwd = t.tracker.Truly(t.tracker.Cwd)
	line, err := sjson.SetBytes(line, "cwd", c.cwd)
	if err == nil {
		err = t.ring.Judge(line)
	}
	if err != nil {
		t.fail(err.Error())
	}
}

// judged takes what the gate writes: the call again, perhaps questions, and the
// verdict. All but the call goes to the journal first.
func (a *Agent) judged(line []byte) {
	if typ := event.Type(line); a.turn != nil && typ != "tool_call" {
		a.turn.put(line)
	}
}

// verdict acts on the gate's word on the call.
func (t *turn) verdict(line []byte) {
	c := t.call
	if c == nil || event.Str(line, "call_id") != c.id || t.phase != judging && t.phase != asking {
		return
	}
	asked := t.ask
	t.ask = nil
	t.relay.Hold(false)
	if changed := event.Str(line, "command"); changed != "" {
		c.command = changed
	}
	c.delegates = gjson.GetBytes(line, "delegates").Bool()
	risk, err := verdict.ParseLevel(event.Str(line, "risk"))
	if verdict.Decision(event.Str(line, "decision")) == verdict.Allow && err == nil &&
		risk < verdict.Denied && c.command != "" {
		t.phase = typing
		t.next()
		return
	}
	t.denied(c, line, asked)
}

// denied shows and answers a call that may not run.
func (t *turn) denied(c *call, line []byte, asked *question) {
	s := t.screen
	reason := event.Str(line, "reason")
	switch {
	case asked == nil:
		t.command(c.command, event.Str(line, "risk"))
		s.Say("%s %s", s.Paint.Red("[DENIED]"), printable(reason))
	case !asked.answered:
		s.Say("")
		s.Say("%s %s", s.Paint.Red("[DENIED]"), printable(reason))
	}
	t.call, t.phase = nil, thinking
	t.refuse(c.id, "denied", reason)
	if asked != nil && asked.quit {
		t.over, t.dropped = true, "the person wanted no further command"
		t.drop(t.dropped)
		if !t.done {
			t.ring.Interrupt()
		}
		t.finish()
	}
}

// run lets the shell go to its prompt, where the command is typed.
func (t *turn) run() {
	var variables []string
	if t.call.delegates {
		var err error
		if variables, err = t.ring.Delegate(); err != nil {
			t.fail(err.Error())
			return
		}
	}
	number := t.waiting
	t.waiting = ""
	t.screen.EndLine()
	t.call.key = t.meet.Run(number, t.call.command, variables...)
}

// atPrompt types the command where the line editor reads. An editor that takes
// pasted text in brackets may say so only now.
func (t *turn) atPrompt() {
	if t.phase != typing || t.waiting != "" {
		return
	}
	if t.call.key != "" || t.tracker.Paste || !t.tracker.Pastes {
		t.keys()
		return
	}
	c := t.call
	time.AfterFunc(200*time.Millisecond, func() {
		t.relay.Post(func() {
			if t.turn == t && t.call == c && t.phase == typing {
				t.keys()
			}
		})
	})
}

func (t *turn) pasting() {
	if t.phase == typing && t.waiting == "" {
		t.keys()
	}
}

// slow is how long a shell may take to run a line that it was given.
const slow = 10 * time.Second

// keys types the command. In brackets the line editor takes it as it is, without
// completion and abbreviations.
func (t *turn) keys() {
	c := t.call
	t.phase = typed
	switch {
	case t.tracker.Truly(c.cwd) != c.cwd:
		c.odd = "the shell has gone to another folder since the command was judged"
		t.relay.Type([]byte("\r"))
		return
	case c.key != "":
		t.relay.Type([]byte(c.key))
	case t.tracker.Paste:
		t.relay.Type([]byte("\x1b[200~" + c.command + "\x1b[201~\r"))
	case strings.ContainsAny(c.command, "\n\t"):
		c.odd = "this shell takes no command with a newline or a tab in it"
		t.relay.Type([]byte("\r"))
		return
	default:
		t.relay.Type([]byte(c.command + "\r"))
	}
	time.AfterFunc(slow, func() {
		t.relay.Post(func() {
			if t.turn == t && t.call == c && t.phase == typed {
				c.odd = "the shell did not take it as a whole command"
				t.relay.Type([]byte{3})
			}
		})
	})
}

// compare stops a line that is not the approved one. What runs can't be taken
// back: it is interrupted, and the turn ends.
func (t *turn) compare(line string) {
	if same(line, t.call.command) {
		return
	}
	t.call.other = line
	t.relay.Type([]byte{3})
}

// same reports whether two texts are the same but for blanks around them.
func same(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }

func (t *turn) commandStarted(line string) {
	if t.phase != typed {
		return
	}
	t.phase, t.ran = executing, time.Now()
	t.commands++
	if line != "" {
		t.compare(line)
	}
	if c := t.call; c.limit > 0 {
		time.AfterFunc(c.limit, func() {
			t.relay.Post(func() {
				if t.turn == t && t.call == c && t.phase == executing {
					c.limited = true
					t.relay.Type([]byte{3})
				}
			})
		})
	}
}

// commandEnded answers the call with what came of it.
func (t *turn) commandEnded(did *record.Command) {
	c := t.call
	if c == nil || t.phase != executing {
		return
	}
	t.call, t.phase = nil, thinking
	output, got := did.Output(t.secrets, record.Text, 0)
	status := "run"
	switch {
	case c.other != "":
		status = "interrupted"
		output += "[ua-shell: the shell ran another line than the approved one, which was interrupted: " +
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
	case status != "run":
		t.dropped = "not run: the command before it was interrupted"
	case did.Status != 0:
		t.dropped = "not run: the command before it failed"
	}
	if c.delegates {
		t.lookForAgents()
	}
	t.put(b.Line())
	t.asked = time.Now()
	t.tick()
	if c.other != "" {
		t.screen.Say("%s the shell ran another line than the approved one",
			t.screen.Paint.Red(style.Mark("✗")))
		t.over = true
	}
}

// notRun is told that the prompt comes again and nothing ran: the command was no
// whole line, or the history expansion failed.
func (t *turn) notRun() {
	c := t.call
	if c == nil || t.phase != typed {
		return
	}
	t.call, t.phase = nil, thinking
	why := c.odd
	if why == "" {
		why = "the shell did not run it"
	}
	t.dropped = "not run: the command before it could not be run"
	t.refuse(c.id, "refused", why)
}
