package display

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"ua/internal/common/event"
	"ua/internal/common/style"
	"ua/internal/common/verdict"
)

// Event shows an event that the journal has kept. The error is that of writing to stdout.
func (d *Display) Event(typ string, line []byte) error {
	if typ == "error" && !d.Ending { // what is ours is not the stage's account
		d.LastError = line
	}
	switch {
	case typ == "error": // the model is asked again, or the footer comes
		d.clear()
	case event.FromPipe(typ) && (typ != "delta" || event.Str(line, "kind") == "text"):
		d.answers()
	}
	if d.o.JSON {
		// The capacity is cut to the length: append must not write into the reader's
		// buffer.
		return d.write(append(line[:len(line):len(line)], '\n'))
	}
	switch typ {
	case "delta":
		switch event.Str(line, "kind") {
		case "thinking":
			d.think(line)
		case "output":
			d.printed(line)
		}
		return d.delta(line)
	case "tool_call":
		d.commands[event.Str(line, "id")] = event.Str(line, "input.command")
	case "ask":
		d.endLine() // the question begins on a line of its own
		d.asked[event.Str(line, "call_id")] = true
	case "verdict":
		d.verdict(line)
	case "tool_result":
		d.result(line)
	case "response":
		d.endLine()
		d.answer.Reset()
	case "error":
		d.failure(line)
	}
	return nil
}

// verdict shows a command with its risk and, if it is not allowed, the reason.
func (d *Display) verdict(line []byte) {
	id := event.Str(line, "call_id")
	shown := commandLine(d.paint, d.commands[id], line)
	d.streamed = false
	by, allowed := event.Str(line, "by"), event.Str(line, "decision") == "allow"
	if allowed {
		defer d.runs(id, commandLine(style.Style(false), d.commands[id], line))
	}
	if d.asked[id] && by == "person" {
		return // who has just answered has it on the screen
	}
	d.Say("%s", shown)
	// ua-exec refuses a verdict that names no risk, so the command will not run.
	if _, err := verdict.ParseLevel(event.Str(line, "risk")); err != nil {
		d.Warn("the verdict names no risk: the command is not run (ua-events(5))")
	} else if !allowed {
		d.lift = d.lifts(by, line)
		d.Say("%s %s", d.paint.Yellow(style.Mark("⚠")),
			style.FirstLine(cmp.Or(event.Str(line, "reason"), "denied"), 200))
	}
}

// lifts returns the options of a resumed run that let a denied command run, or ask about it.
func (d *Display) lifts(by string, line []byte) string {
	risk, _ := verdict.ParseLevel(event.Str(line, "risk"))
	switch rule := filepath.Base(event.Str(line, "rule")); {
	case by != "level" || risk == verdict.Denied:
	case !strings.Contains(rule, ".toml:") && !d.o.Ask: // a row of the gate's own
		return "--ask"
	case strings.HasPrefix(rule, "ceiling.toml:") && risk < verdict.Privileged:
		options := "--profile " + string(verdict.ProfileFor(risk))
		if d.o.Agent != "" { // whose ceiling it may be
			options = "--agent general " + options
		}
		return options
	}
	return ""
}

// result shows how a command ended, if that was not with status 0.
func (d *Display) result(line []byte) {
	delete(d.commands, event.Str(line, "call_id"))
	d.ran(event.Str(line, "call_id"))
	switch code, status := gjson.GetBytes(line, "exit_code"), event.Str(line, "status"); {
	case status == "refused", status == "not_found" && !code.Exists():
		d.Say("%s %s", d.paint.Yellow(style.Mark("⚠")),
			style.FirstLine(event.Str(line, "output"), 200))
	case status == "timeout":
		after := time.Duration(gjson.GetBytes(line, "duration_ms").Int()) * time.Millisecond
		d.Say("%s", d.paint.Yellow(style.Mark("⚠ timed out after ")+style.Seconds(after)))
	case code.Exists() && code.Int() != 0:
		d.Say("%s", d.paint.Dim(fmt.Sprintf("  exit %d", code.Int())))
	}
}

// failure shows an error event. It says nothing where the stage has printed the same on
// stderr, or where the error ends the run, which the footer says.
func (d *Display) failure(line []byte) {
	stage := event.Str(line, "stage")
	last := stage == "ua-gate" && gjson.GetBytes(line, "status").Exists()
	if !ours(stage) && !last && !d.Ending {
		d.Say("%s %s: %s", d.paint.Red(style.Mark("✗")), style.FirstLine(stage, 40),
			style.FirstLine(event.Str(line, "message"), 200))
	}
}
