package agent

import (
	"fmt"
	"time"

	"ua/internal/common/event"
	"ua/internal/common/style"
)

// cancel ends the turn at the person's Ctrl-C. The prompt comes back at once.
func (t *turn) cancel() {
	if !t.done {
		t.ring.Interrupt()
	}
	t.drop("the person pressed Ctrl-C: this was not run")
	t.screen.EndThought()
	t.screen.Say("%s", t.screen.Paint.Dim("^C"))
	t.finish()
}

// drop answers the calls that are left of the model's answer without running them. Each
// call needs a result before the model is asked again.
func (t *turn) drop(why string) {
	if t.call != nil && t.call.read != nil {
		t.call.read.Stop()
	}
	if t.call != nil && !t.call.own {
		t.refuse(t.call.id, "denied", why)
	}
	t.call = nil
	for _, line := range t.lines {
		if event.Type(line) == "tool_call" {
			t.refuse(event.Str(line, "id"), "denied", why)
		}
	}
	t.lines, t.ask = nil, nil
}

// refuse answers a call that is not run, with the status and the reason.
func (t *turn) refuse(id, status, why string) {
	t.result(event.New("tool_result").Str("call_id", id).Str("output", why).Bool(
		"truncated", false).Int("duration_ms", 0).Str("status", status).Line())
}

// result appends the result of a call to the journal.
func (t *turn) result(line []byte) {
	t.unkept++
	t.ring.Put(line)
}

// fail ends the turn with a message because a stage or a limit does not let it go on.
func (t *turn) fail(how string) {
	if t.turn != t || t.failed {
		return
	}
	t.failed = true
	t.screen.Say("%s %s", t.screen.Paint.Red(style.Mark("✗")), printable(how))
	t.drop("the turn was ended: " + how)
	t.finish()
}

// finish ends the turn and shows its tokens, commands and time.
func (t *turn) finish() {
	s := t.screen
	s.EndThought()
	s.Say("%s", s.Paint.Dim(fmt.Sprintf(style.Mark("%s↑ %s↓ %s %s"),
		style.Count(t.tally.TokensIn),
		style.Count(t.tally.TokensOut),
		style.Plural(t.tally.Commands, "cmd"), style.Seconds(time.Since(t.began)))))
	t.release()
}

// lost is called when a stage has ended.
func (a *Agent) lost(stage, how string) {
	if a.turn == nil {
		return
	}
	if how == "" {
		how = stage + " ended before it answered"
	}
	a.turn.fail(how)
}

// release ends the turn and lets the shell draw its prompt. What was typed in the
// meantime is held until the line editor reads.
func (a *Agent) release() {
	a.turn = nil
	_ = a.Reach(nil) // nothing is typed that could
	a.screen.EndLine()
	a.relay.Hold(false)
	if a.waiting {
		a.waiting = false
		a.meet.Done()
		a.letGo()
	}
	if len(a.held) > 0 {
		a.checkPrompt()
	}
}

// prompt is called when the line editor reads a line.
func (a *Agent) prompt() {
	if a.waiting { // it can't while the hook waits
		a.checkPrompt()
		return
	}
	if a.turn != nil {
		a.turn.atPrompt()
		return
	}
	if held := a.held; len(held) > 0 {
		a.held = nil
		a.relay.Type(held)
	}
}

// checkPrompt is called when something hangs on the prompt: a mark of it has come although a
// command runs or the hook waits, or none may come. Unless the hook tells something, the
// shell is looked at when toWait has passed. A shell whose line editor reads is at its
// prompt, whatever the marks say: a command has taken the hook away, or a signal has ended
// it.
func (a *Agent) checkPrompt() {
	if a.checking {
		return
	}
	a.checking = true
	meetings := a.meetings
	a.relay.After(toWait, func() {
		if a.checking = false; a.meetings == meetings && a.editing() {
			a.lostHook()
			a.prompt()
		}
	})
}

// lostHook ends what hangs on a hook that will not tell any more: the command, and the turn.
func (a *Agent) lostHook() {
	if !a.tracker.Lost() && !a.waiting {
		return
	}
	a.waiting, a.running = false, nil
	switch t := a.turn; {
	case t == nil && !a.mute:
		a.warn("The shell no longer reports when its commands end. Until it does, # is just a comment.")
	case t != nil:
		const why = "the shell returned to its prompt without reporting how the command ended: " +
			"until it does, # is just a comment"
		if t.call != nil && t.phase == executing && !t.call.own {
			t.refuse(t.call.id, "interrupted", why)
			t.call = nil
		}
		t.fail(why)
	}
	a.mute = true
}
