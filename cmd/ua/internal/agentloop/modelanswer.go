package agentloop

import (
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/tidwall/gjson"

	"ua/cmd/ua/internal/inbox"
	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/style"
)

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

// replied records that a call of this answer has a result, or an error in its place.
func (d *dialog) replied(line []byte) {
	if id := event.Str(line, "call_id"); id != "" {
		d.replies[strings.Clone(id)] = true
	}
}

// unanswered looks for a call of the response that has no result: a stage may have dropped
// the call before anybody saw it.
func (d *dialog) unanswered(response []byte) {
	for _, id := range event.Strings(response, `content.#(type=="tool_use")#.id`) {
		if !d.replies[id] {
			d.refused = refusalOf("unanswered")
		}
	}
	clear(d.replies)
}

// blank reports whether a response has no text that can be seen.
func blank(response []byte) bool {
	text, _ := event.ResponseText(response)
	return !event.Visible(text)
}

// refusalOf returns the outcome of a run whose last command ended with the status, nil if
// the command ran.
func refusalOf(status string) *outcome {
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
