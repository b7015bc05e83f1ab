package display

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/journal"
	"ua/internal/common/prog"
	"ua/internal/common/style"
)

// A Viewer prints the events of a journal as lines for a person. In a journal the commands of
// a turn come before the response with the words about them, so they are held until it comes.
type Viewer struct {
	Err error // of stdout: it prints no more

	env      *prog.Env
	paint    style.Style
	commands map[string]string
	held     []string
	tally    journal.Tally
}

// NewViewer returns a Viewer that prints on the standard output of env.
func NewViewer(env *prog.Env) *Viewer {
	return &Viewer{env: env, paint: style.For(env.Stdout), commands: map[string]string{}}
}

// say prints one line, until the first error.
func (v *Viewer) say(text string) {
	if v.Err == nil {
		_, v.Err = v.env.Stdout.WriteString(text + "\n")
	}
}

// hold prints one line after the words of its turn.
func (v *Viewer) hold(text string) { v.held = append(v.held, text) }

// Flush prints the lines that are held.
func (v *Viewer) Flush() {
	for _, text := range v.held {
		v.say(text)
	}
	v.held = nil
}

// Event prints one event. An event type that a person has no use for prints nothing.
func (v *Viewer) Event(line []byte) {
	v.tally.Add(line)
	switch event.Type(line) {
	case "instruction", "message", "turn", "summary": // a turn may have no response
		v.Flush()
	}
	switch event.Type(line) {
	case "instruction":
		v.say(v.paint.Bold(style.Mark("▶ ")) + style.Printable(event.Str(line, "text")))
	case "message":
		v.say(v.paint.Bold(style.Mark("▶ ")) +
			style.Printable(event.Str(line, "from")+": "+event.Str(line, "text")))
	case "tool_call":
		// Shown with its verdict, which may change it.
		v.commands[event.Str(line, "id")] = event.Str(line, "input.command")
	case "verdict":
		v.hold(commandLine(v.paint, v.commands[event.Str(line, "call_id")], line))
		if event.Str(line, "decision") != "allow" {
			v.hold(v.paint.Yellow(style.Mark("⚠ ")) +
				style.FirstLine(cmp.Or(event.Str(line, "reason"), "denied"), 200))
		}
	case "tool_result":
		if code := gjson.GetBytes(line, "exit_code"); code.Exists() && code.Int() != 0 {
			v.hold(v.paint.Dim("  exit " + strconv.FormatInt(code.Int(), 10)))
		}
	case "response":
		if text, _ := event.ResponseText(line); strings.TrimSpace(text) != "" {
			m := style.NewMarkdown(v.paint)
			v.say(m.Write(style.Printable(strings.TrimRight(text, "\n"))) + m.End())
		}
		v.Flush()
	case "error":
		v.say(v.paint.Red(style.Mark("✗ ")) +
			style.FirstLine(event.Str(line, "stage")+": "+event.Str(line, "message"), 200))
	case "guarded":
		v.say(v.paint.Yellow(style.Mark("⚠ ")) + style.FirstLine(journal.Guarded(line), 600))
	case "summary":
		took := time.Duration(gjson.GetBytes(line, "duration_ms").Int()) * time.Millisecond
		v.say(v.paint.Dim(totals(&v.tally, took)))
	}
}

// commandLine returns a command and its risk in one line. A verdict may carry a command
// that was changed, which then stands in place of the one that the model asked for. Of a
// command with more than that line, the first part behind it that decided its risk is added.
func commandLine(paint style.Style, command string, judged []byte) string {
	if changed := event.Str(judged, "command"); changed != "" {
		command = changed
	}
	risk, line := event.Str(judged, "risk"), style.FirstLine(command, 200)
	if strings.HasSuffix(line, style.Mark(" …")) {
		for _, part := range gjson.GetBytes(judged, "simple").Array() {
			text := style.FirstLine(part.Get("text").Str, 100)
			if part.Get("level").Str == risk && !strings.Contains(line, text) {
				line += " " + text
				break
			}
		}
	}
	return paint.Cyan(style.Mark("❯")) + " " + line + " " + paint.Risk(cmp.Or(risk, "no risk named"))
}

// totals returns what a run used, in one line.
func totals(t *journal.Tally, took time.Duration) string {
	cost := style.Dollars(t.CostUSD)
	if cost != "" {
		cost += " "
	}
	in, out := style.Count(t.TokensIn), style.Count(t.TokensOut)
	return fmt.Sprintf(style.Mark("%s↑ %s↓ %s%s %s"), in, out, cost,
		style.Plural(t.Commands, "cmd"), style.Seconds(took))
}
