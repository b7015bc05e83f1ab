// Package display shows a run to a person: the answer or the events on stdout, and lines
// that only flow forward on stderr.
package display

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/tidwall/gjson"
	"golang.org/x/term"

	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/style"
	"ua/internal/common/verdict"
)

// Options say what of a run is shown, and where.
type Options struct {
	JSON   bool // events on stdout, one a line
	Quiet  bool // no progress on stderr
	ToFile bool // the answer is for a file: Answer keeps it in Saved
	Depth  int  // agents above the run
}

// A Display shows a run. It moves no cursor but for the line of Tick.
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
	commands map[string]string
	asked    map[string]bool // the calls that the person was asked about
	journal  string
	closed   bool // stdout is
	thought  thinking
	total    agentTotal
}

// New returns the display of a run whose journal is at the path.
func New(env *prog.Env, o Options, journal string) *Display {
	d := &Display{o: o, env: env, paint: style.For(env.Stderr), journal: journal,
		live:     !o.JSON && !o.ToFile && term.IsTerminal(int(env.Stdout.Fd())),
		commands: map[string]string{}, asked: map[string]bool{}}
	d.thought.on = !o.JSON && !o.Quiet && os.Getenv("TERM") != "dumb" &&
		term.IsTerminal(int(env.Stderr.Fd()))
	return d
}

// Event shows an event that the journal has kept; the error is that of stdout.
func (d *Display) Event(typ string, line []byte) error {
	if typ == "error" && !d.Ending { // what is ours is not the stage's account
		d.LastError = line
	}
	if event.FromPipe(typ) && (typ != "delta" || event.Str(line, "kind") == "text") {
		d.answers()
	}
	if d.o.JSON {
		return d.write(append(line[:len(line):len(line)], '\n'))
	}
	switch typ {
	case "delta":
		if event.Str(line, "kind") == "thinking" {
			d.think(line)
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
	case "error":
		d.failure(line)
	}
	return nil
}

func (d *Display) write(b []byte) error {
	if d.closed {
		return nil
	}
	_, err := d.env.Stdout.Write(b)
	d.closed = err != nil
	return err
}

// delta streams text to the terminal. Control characters, which could drive the
// terminal, are shown as they are named in caret notation.
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
	return d.write([]byte(style.Printable(text)))
}

func (d *Display) endLine() {
	if d.open {
		d.open = false
		d.write([]byte{'\n'})
	}
}

// Answer prints the final text, unless the terminal has it already.
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
		text = style.Printable(text)
	}
	text = strings.TrimSuffix(text, "\n") + "\n"
	if d.o.ToFile {
		d.Saved = []byte(text)
		return nil
	}
	return d.write([]byte(text))
}

// terse reports whether a failure is one line: a quiet run that no terminal shows, as in
// cron. A subagent's parent has use for more.
func (d *Display) terse() bool {
	return d.o.Quiet && d.o.Depth == 0 && !term.IsTerminal(int(d.env.Stderr.Fd()))
}

// Say prints one line of progress.
func (d *Display) Say(format string, a ...any) {
	if !d.o.Quiet && !d.o.JSON {
		d.clear()
		d.endLine()
		fmt.Fprintf(d.env.Stderr, format+"\n", a...)
	}
}

// Warn prints what a person should see.
func (d *Display) Warn(text string) { d.Say("%s %s", d.paint.Yellow(style.Mark("⚠")), text) }

func (d *Display) verdict(line []byte) {
	id := event.Str(line, "call_id")
	command := d.commands[id]
	d.streamed = false
	if by := event.Str(line, "by"); d.asked[id] && by == "person" {
		return // who has just answered has it on the screen
	}
	d.Say("%s", commandLine(d.paint, command, line))
	if _, err := verdict.ParseLevel(event.Str(line, "risk")); err != nil {
		d.Warn("the verdict names no risk: the command is not run (ua-events(5))")
	} else if event.Str(line, "decision") != "allow" {
		d.Say("%s %s", d.paint.Yellow(style.Mark("⚠")),
			style.FirstLine(event.Str(line, "reason"), 200))
	}
}

func (d *Display) result(line []byte) {
	delete(d.commands, event.Str(line, "call_id"))
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

// failure shows an error event, unless its stage has said it on stderr itself or
// it is how the run ends, which the footer says.
func (d *Display) failure(line []byte) {
	stage := event.Str(line, "stage")
	last := stage == "ua-gate" && gjson.GetBytes(line, "status").Exists()
	if !ours(stage) && !last && !d.Ending {
		d.Say("%s %s: %s", d.paint.Red(style.Mark("✗")), style.FirstLine(stage, 40),
			style.FirstLine(event.Str(line, "message"), 200))
	}
}

// ours reports whether a stage is a program of ours that prints its errors.
func ours(stage string) bool { return stage == "ua-think" || stage == "ua-journal" }

// Said reports whether the last error event is the stage's own account.
func (d *Display) Said(stage string) bool {
	return d.LastError != nil && event.Str(d.LastError, "stage") == stage
}
