package ring

import (
	"os"
	"strconv"
	"syscall"
	"time"

	"github.com/tidwall/gjson"

	"ua/cmd/ua/internal/inbox"
	"ua/internal/common/event"
	"ua/internal/common/journal"
	"ua/internal/common/prog"
	"ua/internal/common/regular"
	"ua/internal/common/spending"
	"ua/internal/common/style"
)

// A dialog is how far a run is with its model.
type dialog struct {
	cut       int64           // where the conversation that ua-think has begins
	refused   *outcome        // if the last call was not let run
	delegates bool            // a call may have started an agent
	reason    string          // of the last verdict
	replies   map[string]bool // the calls of this answer that have a result
	heard     bool            // something of an answer
	lastHeard time.Time       // when the model was asked, or something came from the pipe since
	halfAt    time.Time       // when an answer came that was cut off
	second    bool            // the second step of the agent's work has begun
}

// turn begins a turn: it delivers waiting messages, and asks the model once they are
// kept.
func (l *loop) turn() {
	if l.hear(); l.over || l.deliver() {
		return
	}
	l.ask()
}

// ask asks the model unless a limit is reached. Everything before has been kept by now,
// so the size of the journal determines the conversation.
func (l *loop) ask() {
	spent := l.spent()
	if why := l.count.Turn(l.o.Limits, spent); why != "" {
		if l.lastHeard.IsZero() { // ua-think would ask about what it has, at the end of its input
			l.stages[0].Signal(syscall.SIGKILL)
		}
		l.finish(outcome{prog.Limit, "ua", why, false})
		return
	}
	l.share()
	if info, err := os.Stat(l.run.Journal()); err == nil && journal.Cut(info.Size(),
		l.o.ContextTokens) != l.cut {
		if err := l.recall(nil); err != nil {
			l.finish(outcome{prog.Trouble, "ua", err.Error(), false})
			return
		}
	}
	l.keepFiles()
	e := event.New("turn").Int("n", int64(l.count.Turns))
	if l.o.ContextTokens != journal.DefaultBudget {
		e.Int("budget", int64(l.o.ContextTokens)) // ua-journal calls asks as we did
	}
	if l.o.Limits.Budget != (spending.Budget{}) {
		e.Raw("spent", spent.JSON())
	}
	l.toJournal.Put(e.Line())
}

// recall sends ua-think the conversation again, as `ua-journal read` prints it. changed is
// called if somebody has changed the journal (journal.Checked); nil does not look.
func (l *loop) recall(changed func()) error {
	f, err := regular.Open(l.run.Journal())
	if err != nil {
		return prog.Errorf(prog.Trouble, "%v", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	lines, err := journal.Checked(f, info.Size(), l.o.ContextTokens,
		func(err error) { l.env.Warnf("%s: %v", l.run.Journal(), err) }, changed)
	if err != nil {
		return err
	}
	for _, line := range lines {
		l.toThink.Put(line)
	}
	l.cut = journal.Cut(info.Size(), l.o.ContextTokens)
	return nil
}

// quitAt ends the run when a person has chosen that at a question of ua-gate. A hook that
// refuses before the first turn ends the stream itself.
func (l *loop) quitAt(line []byte) {
	if event.Str(line, "stage") == "ua-gate" && gjson.GetBytes(line, "status").Int() ==
		prog.TryLater {
		l.interrupt(outcome{prog.TryLater, "ua-gate", event.Str(line, "message"), true},
			syscall.SIGTERM)
	}
	if event.Str(line, "stage") == "ua-gate" && l.count.Turns > 0 &&
		gjson.GetBytes(line, "status").Int() == prog.No {
		l.interrupt(outcome{128 + int(syscall.SIGINT), l.env.Name, event.Str(line, "message"), false},
			syscall.SIGTERM)
	}
}

// answered continues after a response: with the next turn if it calls for commands,
// otherwise towards the end of the run.
func (l *loop) answered(line []byte) {
	reason := event.Str(line, "stop_reason")
	stubborn := l.count.Answered(l.reason)
	switch {
	case reason == "interrupted" || reason == "error":
		// ua-think ends by itself and says with what status. Another stage, or one that
		// plays a recording, may wait for what comes next, which is nothing.
		l.halfAt = time.Now()
		l.toThink.End()
		return
	case stubborn != "":
		l.finish(outcome{prog.No, "ua-gate", stubborn, false})
	case event.Calls(line):
		l.turn()
	case reason == "refusal":
		l.finish(outcome{prog.No, "ua-think", "the model refused to answer", false})
	case reason == "max_tokens":
		l.finish(outcome{prog.No, "ua-think",
			"the answer was cut off at the model's token limit", false})
	case reason != "end_turn" && reason != "stop_sequence":
		l.finish(outcome{prog.TryLater, "ua-think", "the answer is not complete: it stopped with " +
			style.FirstLine(strconv.Quote(reason), 60), true})
	case l.goesOn():
		l.turn()
	case l.listen():
		l.turn()
	case blank(line):
		l.finish(outcome{prog.TryLater, "ua-think", "the model gave no answer", true})
	case l.waits(line):
	// The model has answered, but the command that it needed was not run.
	case l.refused != nil:
		l.finish(*l.refused)
	default:
		l.finish(outcome{})
	}
	if l.over && l.result.status == 0 && l.checks() {
		l.proof.answer = line
		return
	}
	if l.over {
		if err := l.show.Answer(line); err != nil {
			l.result = stdoutFailed(err)
		}
	}
}

// blank reports whether a response has no text that can be seen.
func blank(response []byte) bool {
	text, _ := event.ResponseText(response)
	return !event.Visible(text)
}

// refusal returns the outcome of a run whose last command ended with the status, nil if
// the command ran.
func refusal(status string) *outcome {
	switch status {
	case "denied":
		return &outcome{prog.No, "ua-gate", "the last command was denied", false}
	case "refused":
		return &outcome{prog.No, "ua-exec", "the last command was not run", false}
	case "unanswered":
		return &outcome{prog.No, "ua-exec", "the last command has no result", false}
	}
	return nil
}

// goesOn starts the second step of an agent that works in two steps, and reports whether
// it did.
func (l *loop) goesOn() bool {
	text := l.phase()
	if text != "" {
		l.tell(inbox.Message{From: "ua", Text: text})
	}
	return text != ""
}

// phase returns the instruction for the second step of an agent that works in two, ""
// when the answer is final.
func (l *loop) phase() string {
	if l.second {
		return ""
	}
	l.second = true
	switch {
	case l.o.def.Mode == "plan_and_solve" && l.count.Commands == 0:
		return "Now carry out your plan with commands, step by step, and end with the answer."
	case l.o.def.Mode == "reflexion":
		return "Criticise your answer once as a strict reviewer would: what is wrong, missing or " +
			"unproved? Check it with commands where you can, then give the whole answer again, corrected."
	}
	return ""
}
