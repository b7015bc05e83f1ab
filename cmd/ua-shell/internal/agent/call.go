package agent

import (
	"fmt"
	"time"

	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"ua/cmd/ua-shell/internal/ring"
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
	hosts       []string   // that it may reach
	unasked     bool       // it is allowed, and nobody was asked about it
	judged      bool       // a model has allowed it
	live        bool       // the model wants it in the shell itself
	here        bool       // we ask the person about it, not the gate
	look        string     // what the hook is asked about it
	read        *ring.Read // runs beside the shell, nil for not yet
	own         bool       // it is the person's #! line, and the model knows nothing of it
	key         string     // that has the shell take the command, "" to paste it
	other       string     // what ran in place of the command, "" for nothing
	failure     string     // why the shell did not run it, "" if it did or may still
	limited     bool       // the limit has ended it
	interrupted bool       // the person has
}

// called sends a call to the gate, which judges it in the folder that the shell is in
// now.
func (t *turn) called(line []byte) {
	t.screen.EndThought()
	t.screen.EndLine()
	t.calls++
	c := &call{id: event.Str(line, "id"), command: event.Str(line, "input.command"),
		live: gjson.GetBytes(line, "input.live").Bool()}
	if ms := gjson.GetBytes(line, "input.timeout_ms").Float(); ms > 0 {
		c.limit = time.Duration(min(ms, 1e9)) * time.Millisecond
	}
	// The limit holds for the rest of the answer, and each of its calls gets the same
	// reply.
	if most := t.Limits.Commands; t.commands >= most && t.dropped == "" {
		t.dropped = fmt.Sprintf("not run: this turn is limited to %s (--max-commands)",
			style.Plural(int64(most), "command"))
	}
	if t.dropped != "" {
		t.refuse(c.id, "denied", t.dropped)
		return
	}
	t.call, t.phase = c, judging
	// Relative paths mean another file in another folder, so keys compares this one
	// later.
	c.cwd = t.tracker.Truly(t.tracker.Cwd)
	line, err := sjson.SetBytes(line, "cwd", c.cwd)
	if err == nil {
		err = t.ring.Judge(line)
	}
	if err != nil {
		t.fail(err.Error())
	}
}

// judged takes what the gate writes: the call again, perhaps a question, and the verdict.
// All but the call goes to the journal, and is acted on when it comes back.
func (a *Agent) judged(line []byte) {
	if typ := event.Type(line); a.turn != nil && typ != "tool_call" {
		a.turn.put(line)
	}
}

// verdict acts on the gate's verdict on the call.
func (t *turn) verdict(line []byte) {
	c := t.call
	if c == nil || event.Str(line, "call_id") != c.id || t.phase != judging && t.phase != asking {
		return
	}
	asked := t.ask
	t.ask = nil
	t.relay.Hold(false)
	// The person has edited the command, and the gate has judged what came of it.
	if changed := event.Str(line, "command"); changed != "" {
		c.command = changed
	}
	c.delegates = gjson.GetBytes(line, "delegates").Bool()
	c.hosts = reaches(line)
	risk, err := verdict.ParseLevel(event.Str(line, "risk"))
	if verdict.Decision(event.Str(line, "decision")) == verdict.Allow && err == nil &&
		risk < verdict.Denied && c.command != "" {
		c.judged = event.Str(line, "by") == "judge"
		c.unasked = t.Profile == "" && (risk == verdict.ReadOnly || c.judged) &&
			(asked == nil || !asked.answered)
		t.phase = typing
		t.next()
		return
	}
	t.denied(c, line, asked)
}

// reaches returns the hosts that a verdict lets a call reach: those that the person has granted,
// and with the profile network those that ua reaches with it.
func reaches(line []byte) (hosts []string) {
	if event.Str(line, "profile") == string(verdict.ProfileNetwork) {
		hosts = []string{"packages", "git"}
	}
	if g, err := verdict.ParseGrant([]byte(gjson.GetBytes(line, "grant").Raw)); err == nil {
		hosts = append(hosts, g.Host...)
	}
	return hosts
}

// denied shows the person that a call may not run, and answers the call with the reason.
func (t *turn) denied(c *call, line []byte, asked *question) {
	s := t.screen
	reason := event.Str(line, "reason")
	// A question that was answered has shown the command and the person's no already.
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
	// [q] ends the whole turn: the other calls of the answer are refused too.
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
	if t.call.unasked {
		t.unasked()
		return
	}
	var variables []string
	// Only a command that starts ua gets the way to the model.
	if t.call.delegates {
		variables = t.ring.Delegate()
		t.watchQuestions(t.call)
	}
	if err := t.Reach(t.call.hosts); err != nil {
		t.fail(err.Error())
		return
	}
	t.waiting = false
	t.screen.EndLine()
	t.call.key = t.meet.Run(t.call.command, variables...)
	t.letGo()
	t.checkPrompt()
}
