package agent

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/journal"
	"ua/internal/common/style"
)

// A phase says what a turn is doing.
type phase int

const (
	thinking  phase = iota // the model is asked, or what it said is dealt with
	judging                // the gate has a call
	asking                 // a question to the person is open
	probing                // the shell's hook was asked about a call
	typing                 // the shell was let go, and its prompt is waited for
	typed                  // a command is typed
	executing              // it runs
)

// A turn is the work from a # line to the next prompt.
type turn struct {
	*Agent
	phase     phase
	began     time.Time
	asked     time.Time // when the model was
	lines     [][]byte  // what the model said and is still to be dealt with
	done      bool      // the answer is whole
	calls     int       // of this answer that were dealt with
	unkept    int       // results of calls that the journal does not have yet
	questions int       // to the model
	commands  int       // that were run
	planned   bool      // the plan of this answer was shown
	dropped   string    // why further calls of this answer are not run, "" if they are
	over      bool      // the model is not asked again
	call      *call
	ask       *question
	ran       time.Time // when the command was started
	stopped   time.Time // when Ctrl-C came last
	ticker    *time.Timer
	tally     journal.Tally
	failed    bool
}

// begin begins a turn with a # line. An empty one opens the editor, ? asks about the last
// command, and ! has the shell run ua.
func (a *Agent) begin(line string) {
	text := instruction(line)
	a.turn = &turn{Agent: a, began: time.Now()}
	switch {
	case text == "":
		if text = a.compose(""); text == "" {
			a.release()
			return
		}
	case text == "?":
		text = "Explain the last command that I ran and what it printed. If it failed, say why and " +
			"what to do."
	case strings.HasPrefix(text, "!"):
		if text = strings.TrimSpace(text[1:]); a.turn.open(text) {
			a.turn.runUA(text)
		}
		return
	}
	if a.Shell == "bash" && strings.Contains(line, "\n") {
		a.screen.Say("%s", a.screen.Paint.Dim(printable(line))) // the line editor has thrown it away
	}
	a.turn.begin(text)
}

// begin puts the question to the model. The first question of a session is preceded by
// the run, the system prompt and the surroundings; every question by what the user ran
// since the last one.
func (t *turn) begin(text string) {
	if !t.open(text) {
		return
	}
	var lines [][]byte
	// The output may hold a secret, and so may the line that was typed.
	for _, c := range t.history {
		output, _ := c.Output(t.secrets, 16<<10, t.Lines)
		line, _ := t.secrets.Text(c.Line)
		lines = append(lines, event.New("shell_command").Str("command", line).Str("cwd",
			c.Cwd).Int("exit_code", int64(c.Status)).OptStr("output", output).Line())
	}
	t.history = nil
	lines = append(lines, event.New("instruction").Str("text", text).Line())
	for _, line := range lines {
		t.put(line)
	}
	t.question()
}

// open begins the session's journal, unless it has begun: with the run, the system prompt
// and the surroundings. It reports whether there is a journal. What a confined shell says
// of its folder does not count, since a run that is resumed works in the one named here.
func (t *turn) open(task string) bool {
	if t.Trouble != nil {
		t.fail(t.Trouble.Error())
		return false
	}
	if t.begun {
		return true
	}
	t.begun = true
	cwd := t.tracker.Cwd
	if t.Profile != "" {
		cwd = t.Began
	}
	columns, rows := t.screen.Size()
	t.put(event.New("run").Str("id", t.ring.Run.ID).Int("depth", 0).Str("task", task).
		Str("agent", "shell").Str("cwd", cwd).OptStr("profile", t.Profile).
		Raw("options", t.Terms).Int("pid", int64(os.Getpid())).Str("version", t.Version).Line())
	t.put(systemEvent(t.Profile))
	t.put(surroundings(t.Shell, t.tracker.Cwd, columns, rows))
	return true
}

// put appends an event to the journal, and ends the turn where that fails.
func (t *turn) put(line []byte) {
	if err := t.ring.Put(line); err != nil {
		t.fail(err.Error())
	}
}

// result appends the result of a call to the journal.
func (t *turn) result(line []byte) error {
	err := t.ring.Put(line)
	if err == nil {
		t.unkept++
	}
	return err
}

// question asks the model once more, unless a limit or a budget forbids it.
func (t *turn) question() {
	if t.turn != t {
		return
	}
	if most := t.Limits.Questions; t.questions >= most {
		t.fail(fmt.Sprintf("the model was asked %s in this turn, which is the limit (--max-turns)",
			style.Plural(int64(most), "time")))
		return
	}
	if why := t.Limits.Overspent(t.ring.Spent()); why != "" {
		t.fail(why)
		return
	}
	t.questions++
	t.phase, t.asked, t.done, t.calls, t.dropped = thinking, time.Now(), false, 0, ""
	t.planned = false
	t.put(t.turnEvent())
	t.tick()
}

// tick moves the spinner while the model or the gate is waited for.
func (t *turn) tick() {
	if t.ticker != nil {
		t.ticker.Stop()
	}
	t.ticker = time.AfterFunc(120*time.Millisecond, func() {
		t.relay.Post(func() {
			if what := t.awaits(); t.turn == t && what != "" {
				t.screen.Spin(what, t.asked)
				t.tick()
			}
		})
	})
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

// printable returns text in which nothing drives the terminal.
func printable(text string) string { return style.Printable(text) }
