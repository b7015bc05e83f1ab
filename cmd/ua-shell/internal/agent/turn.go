package agent

import (
	"fmt"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/spending"
	"ua/internal/common/style"
	"ua/internal/common/verdict"
)

// question asks the model once more, unless a limit or a budget forbids it.
func (t *turn) question() {
	if t.turn != t {
		return
	}
	if most := t.ring.Settings.MaxTurns; t.questions >= most {
		t.fail(fmt.Sprintf("the model was asked %s in this turn, which is the limit (--max-turns)",
			style.Plural(int64(most), "time")))
		return
	}
	if why := t.ring.Settings.Budget().Overspent(t.ring.Spent()); why != "" {
		t.fail(why)
		return
	}
	t.questions++
	t.phase, t.asked, t.done, t.calls, t.dropped = thinking, time.Now(), false, 0, ""
	t.planned = false
	t.ring.Put(t.turnEvent())
	t.tick()
}

// kept acts on an event that the journal has kept.
func (a *Agent) kept(line []byte) {
	a.tally.Add(line)
	t := a.turn
	if t == nil {
		return
	}
	t.tally.Add(line)
	switch event.Type(line) {
	case "delta", "tool_call", "response":
		t.lines = append(t.lines, line)
		t.done = t.done || event.Type(line) == "response"
		t.next()
	case "ask":
		t.takeQuestion(line)
	case "verdict":
		t.verdict(line)
	case "tool_result":
		t.unkept = max(0, t.unkept-1) // the gate writes results too
		t.next()
	case "error":
		if stage := event.Str(line, "stage"); stage != "ua-think" && stage != "ua-journal" {
			a.screen.Say("%s %s: %s", a.screen.Paint.Red(style.Mark("✗")),
				style.FirstLine(stage, 40), style.FirstLine(event.Str(line, "message"), 200))
		}
	}
}

// next deals with what the model has said, in that order, until something has to be
// waited for. The end of an answer waits for the results of its calls: they count.
func (t *turn) next() {
	for t.turn == t && t.phase == thinking && len(t.lines) > 0 {
		line := t.lines[0]
		if event.Type(line) == "response" && t.unkept > 0 {
			break
		}
		t.lines = t.lines[1:]
		switch event.Type(line) {
		case "delta":
			t.delta(line)
		case "tool_call":
			t.called(line)
		case "response":
			t.answered(line)
		}
	}
	if t.ask != nil && !t.ask.shown {
		t.show()
	}
	if t.turn == t && t.phase == typing && t.waiting {
		t.run()
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

// delta shows a piece of the model's answer or of its thoughts.
func (t *turn) delta(line []byte) {
	text := event.Str(line, "text")
	switch event.Str(line, "kind") {
	case "text":
		t.screen.Text(text)
	case "thinking":
		t.screen.Thinking(text)
	}
}

// answered is called at the end of an answer. It asks the model again when the answer
// called for commands, and otherwise ends the turn.
func (t *turn) answered(line []byte) {
	t.screen.EndAnswer()
	reason := event.Str(line, "stop_reason")
	switch {
	case reason == "interrupted" || reason == "error":
		return // ua-think ends, and says why
	case t.over:
	case gjson.GetBytes(line, `content.#(type=="tool_use").id`).Exists():
		t.question()
		return
	case reason == "refusal":
		t.screen.Say("%s the model refused to answer", t.screen.Paint.Yellow(style.Mark("⚠")))
	case reason == "max_tokens":
		t.screen.Say("%s the answer was cut off at the model's token limit",
			t.screen.Paint.Yellow(style.Mark("⚠")))
	}
	t.finish()
}

// hookAnswered takes what the hook answers.
func (a *Agent) hookAnswered(text string) {
	t := a.turn
	if t == nil || t.phase != probing {
		return
	}
	name, isName := strings.CutPrefix(t.call.look, "new ")
	switch {
	case strings.HasPrefix(t.call.look, "env "):
		t.read()
	case text != "yes":
		t.askHere("it means something else in this shell")
	default:
		if isName {
			t.names = append(t.names, name)
		}
		t.grant()
	}
}

// grant has the command typed.
func (t *turn) grant() {
	t.call.unasked, t.phase = false, typing
	t.next()
}

// answeredHere takes the person's answer to such a question.
func (t *turn) answeredHere(decision, reason string) {
	if t.call == nil { // what was put has ended the turn
		return
	}
	asked := t.ask
	t.ask = nil
	t.relay.Hold(false)
	if decision == "allow" || decision == "yes" {
		t.grant()
		return
	}
	said := "the person said no"
	if reason != "" {
		said = fmt.Sprintf("%s: %s", said, reason)
	}
	t.denied(t.call, event.New("answer").Str("reason", said).Line(), asked)
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

// judged takes what the gate writes: the call again, perhaps a question, and the verdict.
// All but the call goes to the journal, and is acted on when it comes back.
func (a *Agent) judged(line []byte) {
	if typ := event.Type(line); a.turn != nil && typ != "tool_call" {
		a.ring.Put(line)
	}
}

// turnEvent returns the event that asks the model. With a budget it tells what all have
// spent of it, which ua-think does not see.
func (a *Agent) turnEvent() []byte {
	e := event.New("turn")
	if a.ring.Settings.Budget() != (spending.Budget{}) {
		e.Raw("spent", a.ring.Spent().JSON())
	}
	return e.Line()
}
