// Package display shows a run to a person: the answer or the events on stdout, progress
// on stderr in lines that only move forward.
package display

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tidwall/gjson"
	"golang.org/x/term"

	"ua/internal/common/descriptor"
	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/style"
	"ua/internal/common/verdict"
)

// Options say what of a run is shown and where.
type Options struct {
	JSON   bool // events on stdout, one a line
	Quiet  bool // no progress on stderr
	ToFile bool // the answer is for a file: Answer keeps it in Saved
	Depth  int  // agents above the run
	Agent  string
	Ask    bool // a person is asked, so that what is denied is not asked about
}

// A Display shows a run. Only the line of Tick moves the cursor.
type Display struct {
	Ending    bool   // error events repeat what the footer says
	LastError []byte // the last error event of a stage
	Saved     []byte // the answer that is for a file

	o        Options
	env      *prog.Env
	paint    style.Style
	live     bool // text streams to the terminal as it comes
	open     bool // the terminal's line is not ended
	streamed bool // text of this response was shown as it came
	answer   *style.Markdown
	commands map[string]string
	asked    map[string]bool // the calls that the person was asked about
	journal  string
	closed   bool // stdout is
	status   statusLine
	lift     string // the options with which the last command that was denied would run
	total    agentTotal
	held     held
}

// New returns the display of a run whose journal has the path journal.
func New(env *prog.Env, o Options, journal string) *Display {
	d := &Display{o: o, env: env, paint: style.For(env.Stderr), journal: journal,
		live:     !o.JSON && !o.ToFile && term.IsTerminal(int(env.Stdout.Fd())),
		answer:   style.NewMarkdown(style.For(env.Stdout)),
		commands: map[string]string{}, asked: map[string]bool{}}
	d.held.device = deviceOf(env)
	// A dumb terminal has no sequence that clears a line (terminfo(5)).
	d.status.on = !o.JSON && !o.Quiet && os.Getenv("TERM") != "dumb" &&
		term.IsTerminal(int(env.Stderr.Fd()))
	return d
}

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

// write writes to stdout. After the first error it writes no more and returns nil, so
// that a closed stdout is reported once.
func (d *Display) write(b []byte) error {
	if d.closed || len(b) == 0 {
		return nil
	}
	to := d.env.Out()
	if d.live {
		to = descriptor.Writer(d.env.Stdout) // all that comes is printable, and has colours
	}
	d.print(d.env.Stdout, to, string(b))
	d.closed = d.held.err != nil
	return d.held.err
}

// delta streams text to the terminal. Control characters could drive the terminal, so
// they are shown in caret notation.
func (d *Display) delta(line []byte) error {
	if !d.live || event.Str(line, "kind") != "text" {
		return nil
	}
	text := event.Str(line, "text")
	if text == "" {
		return nil
	}
	d.streamed = true
	d.open = !strings.HasSuffix(text, "\n")
	return d.write([]byte(d.answer.Write(style.Printable(text))))
}

// endLine ends the line of streamed text, if one is open.
func (d *Display) endLine() {
	if d.open {
		d.open = false
		d.write([]byte(d.answer.End() + "\n"))
	}
}

// Answer prints the final text, unless it has been streamed to the terminal already.
func (d *Display) Answer(line []byte) error {
	if d.o.JSON || d.streamed {
		return nil
	}
	text, _ := event.ResponseText(line)
	if text == "" {
		if !event.Calls(line) { // a limit has ended one that calls
			d.env.Warnf("the model ended without an answer")
		}
		return nil
	}
	if d.live {
		text = d.answer.Write(style.Printable(text)) + d.answer.End()
	}
	text = strings.TrimSuffix(text, "\n") + "\n"
	if d.o.ToFile {
		d.Saved = []byte(text)
		return nil
	}
	return d.write([]byte(text))
}

// terse reports whether a failure is told in one line: in a quiet run without a terminal,
// such as one of cron. A subagent's parent can use more than that.
func (d *Display) terse() bool {
	return d.o.Quiet && d.o.Depth == 0 && !term.IsTerminal(int(d.env.Stderr.Fd()))
}

// Say prints one line of progress on stderr, unless the run is quiet or prints JSON.
func (d *Display) Say(format string, a ...any) {
	if !d.o.Quiet && !d.o.JSON {
		d.clear()
		d.endLine()
		d.print(d.env.Stderr, d.env.Stderr, style.Fold(d.env.Stderr, fmt.Sprintf(format, a...))+"\n")
	}
}

// Warn prints a line of progress that needs a person's attention.
func (d *Display) Warn(text string) { d.Say("%s %s", d.paint.Yellow(style.Mark("⚠")), text) }

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

// ours reports whether a stage is one of ua's programs that print their own errors.
func ours(stage string) bool { return stage == "ua-think" || stage == "ua-journal" }

// Said reports whether the last error event came from the stage itself.
func (d *Display) Said(stage string) bool {
	return d.LastError != nil && event.Str(d.LastError, "stage") == stage
}
