package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/tidwall/gjson"
	"golang.org/x/term"

	"ua/cmd/ua/internal/runs"
	"ua/internal/common/event"
	"ua/internal/common/journal"
	"ua/internal/common/prog"
	"ua/internal/common/run"
	"ua/internal/common/style"
	"ua/internal/common/verdict"
)

// A display shows a run: the answer or the events on stdout, and lines that only
// flow forward on stderr. It moves no cursor.
type display struct {
	env       *prog.Env
	paint     style.Style
	json      bool
	quiet     bool
	depth     int  // agents above the run
	live      bool // text streams to the terminal as it comes
	open      bool // the terminal's line is not ended
	streamed  bool // text of this response was shown as it came
	commands  map[string]string
	asked     map[string]bool // the calls that the person was asked about
	journal   string
	lastError []byte
	closed    bool // stdout is
	thought   thinking
	total     agentTotal
	toFile    bool   // the answer is for a file
	saved     []byte // it
	ending    bool   // error events repeat what the footer says
}

func newDisplay(env *prog.Env, o *options, r run.Run) *display {
	d := &display{env: env, paint: style.For(env.Stderr), json: o.json, quiet: o.quiet, depth: o.depth,
		journal: r.Journal(),
		live:    !o.json && o.out == "" && term.IsTerminal(int(env.Stdout.Fd())),
		toFile:  o.out != "", commands: map[string]string{}, asked: map[string]bool{}}
	d.thought.on = d.mayThink(o)
	return d
}

// event shows an event; the error is that of stdout.
func (d *display) event(typ string, line []byte) error {
	if typ == "error" && !d.ending { // what is ours is not the stage's account
		d.lastError = line
	}
	if fromPipe(typ) && (typ != "delta" || event.Str(line, "kind") == "text") {
		d.answers()
	}
	if d.json {
		return d.write(append(line[:len(line):len(line)], '\n'))
	}
	switch typ {
	case "delta":
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

func (d *display) write(b []byte) error {
	if d.closed {
		return nil
	}
	_, err := d.env.Stdout.Write(b)
	d.closed = err != nil
	return err
}

// delta streams text to the terminal. Control characters, which could drive the
// terminal, are shown as they are named in caret notation.
func (d *display) delta(line []byte) error {
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

func (d *display) endLine() {
	if d.open {
		d.open = false
		d.write([]byte{'\n'})
	}
}

// answer prints the final text, unless the terminal has it already.
func (d *display) answer(line []byte) error {
	if d.json || d.streamed {
		return nil
	}
	text, _ := event.ResponseText(line)
	if text == "" {
		if !calls(line) { // a limit has ended one that calls
			d.env.Warnf("the model ended without an answer")
		}
		return nil
	}
	if d.live {
		text = style.Printable(text)
	}
	text = strings.TrimSuffix(text, "\n") + "\n"
	if d.toFile {
		d.saved = []byte(text)
		return nil
	}
	return d.write([]byte(text))
}

// terse reports whether a failure is one line: a quiet run that no terminal shows, as in
// cron. A subagent's parent has use for more.
func (d *display) terse() bool {
	return d.quiet && d.depth == 0 && !term.IsTerminal(int(d.env.Stderr.Fd()))
}

// calls reports whether a response calls for commands.
func calls(response []byte) bool {
	return gjson.GetBytes(response, `content.#(type=="tool_use").id`).Exists()
}

// say prints one line of progress.
func (d *display) say(format string, a ...any) {
	if !d.quiet && !d.json {
		d.clear()
		d.endLine()
		fmt.Fprintf(d.env.Stderr, format+"\n", a...)
	}
}

// warn prints what a person should see.
func (d *display) warn(text string) { d.say("%s %s", d.paint.Yellow(style.Mark("⚠")), text) }

func (d *display) verdict(line []byte) {
	id := event.Str(line, "call_id")
	command := d.commands[id]
	d.streamed = false
	if by := event.Str(line, "by"); d.asked[id] && by == "person" {
		return // who has just answered has it on the screen
	}
	d.say("%s", commandLine(d.paint, command, line))
	if _, err := verdict.ParseLevel(event.Str(line, "risk")); err != nil {
		d.warn("the verdict names no risk: the command is not run (ua-events(5))")
	} else if event.Str(line, "decision") != "allow" {
		d.say("%s %s", d.paint.Yellow(style.Mark("⚠")), style.FirstLine(event.Str(line, "reason"), 200))
	}
}

// commandLine returns a command with its risk, as the verdict has them.
func commandLine(paint style.Style, command string, judged []byte) string {
	if changed := event.Str(judged, "command"); changed != "" {
		command = changed
	}
	return paint.Cyan(style.Mark("❯")) + " " + style.FirstLine(command, 200) + " " +
		paint.Risk(cmp.Or(event.Str(judged, "risk"), "no risk named"))
}

func (d *display) result(line []byte) {
	delete(d.commands, event.Str(line, "call_id"))
	switch code, status := gjson.GetBytes(line, "exit_code"), event.Str(line, "status"); {
	case status == "refused", status == "not_found" && !code.Exists():
		d.say("%s %s", d.paint.Yellow(style.Mark("⚠")), style.FirstLine(event.Str(line, "output"), 200))
	case status == "timeout":
		after := time.Duration(gjson.GetBytes(line, "duration_ms").Int()) * time.Millisecond
		d.say("%s", d.paint.Yellow(style.Mark("⚠ timed out after ")+style.Seconds(after)))
	case code.Exists() && code.Int() != 0:
		d.say("%s", d.paint.Dim(fmt.Sprintf("  exit %d", code.Int())))
	}
}

// failure shows an error event, unless its stage has said it on stderr itself or
// it is how the run ends, which the footer says.
func (d *display) failure(line []byte) {
	stage := event.Str(line, "stage")
	last := stage == "ua-gate" && gjson.GetBytes(line, "status").Exists()
	if !ours(stage) && !last && !d.ending {
		d.say("%s %s: %s", d.paint.Red(style.Mark("✗")), stage,
			style.FirstLine(event.Str(line, "message"),
				200))
	}
}

// ours reports whether a stage is a program of ours that prints its errors.
func ours(stage string) bool { return stage == "ua-think" || stage == "ua-journal" }

// said reports whether the last error event is the stage's own account.
func (d *display) said(stage string) bool {
	return d.lastError != nil && event.Str(d.lastError, "stage") == stage
}

// footer ends the display: what the run took, what a gateway has seen of its subagents, and
// what went wrong.
func (d *display) footer(t *journal.Tally, seen *runs.Ledger, o outcome, took time.Duration) {
	d.answers()
	d.endLine()
	unread := o.status == 128+int(syscall.SIGPIPE) // whoever closed stdout knows
	switch {
	case unread, o.message == "", ours(o.stage) && d.said(o.stage):
	case o.stage == d.env.Name:
		d.env.Warnf("%s", o.message)
	default:
		d.env.Warnf("%s: %s", o.stage, o.message)
	}
	if o.status != 0 && o.status != prog.No && !unread && !d.terse() {
		if o.status > 128 && o.stage == d.env.Name {
			d.env.Warnf("hint: ua resume %s continues it",
				short(filepath.Base(filepath.Dir(d.journal))))
		} else {
			d.env.Warnf("hint: the journal is %s", d.journal)
		}
	}
	if line := d.total.line(seen, took); line != "" {
		d.say("%s", d.paint.Dim(line))
	}
	d.say("%s", d.paint.Dim(totals(t, took)))
}

// totals returns what a run took, in one line.
func totals(t *journal.Tally, took time.Duration) string {
	cost := style.Dollars(t.CostUSD)
	if cost != "" {
		cost += " "
	}
	return fmt.Sprintf(style.Mark("%s↑ %s↓ %s%s %s"), style.Count(t.TokensIn), style.Count(t.TokensOut),
		cost, style.Plural(t.Commands, "cmd"), style.Seconds(took))
}
