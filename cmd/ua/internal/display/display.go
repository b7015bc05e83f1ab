// Package display shows a run to a person: the answer or the events on stdout, progress
// on stderr in lines that only move forward.
package display

import (
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/style"
	"ua/internal/common/tty"
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

// A statusLine is the only line of the display that is overwritten. It shows how long the
// model has been silent and the newest line of its reasoning, or which command runs and for
// how long. It is cleared before anything else is printed, also by a stage, whose lines
// another goroutine prints.
type statusLine struct {
	on    bool      // stderr is a terminal that can do so
	since time.Time // zero while neither the model nor a command is waited for
	text  string    // the newest line of the model's thoughts
	calls []running // those that run or will, in their order

	mutex sync.Mutex // of shown
	shown bool
}

// A running is a command without its result, as it is shown.
type running struct {
	id, text string
	output   string // its newest line
}

// A held is what a run would print while a question is open on its terminal. A model chooses
// what runs meanwhile, and its lines would move the question away, or stand below it like the
// command that is asked about.
type held struct {
	device tty.Device
	parts  []part
	bytes  int
	lost   int   // parts for which there was no room
	err    error // of stdout
}

// A part is one piece of text and where it belongs.
type part struct {
	to   io.Writer
	text string
}

// An agentTotal adds up the subagents of a run that have ended.
type agentTotal struct {
	agents, depth int
	claimed       int // of them, those that no gateway has seen
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

// deviceOf returns the terminal that a run prints on.
func deviceOf(env *prog.Env) tty.Device {
	if term.IsTerminal(int(env.Stderr.Fd())) {
		return tty.Of(env.Stderr)
	}
	return tty.Of(env.Stdout)
}

// terse reports whether a failure is told in one line: in a quiet run without a terminal,
// such as one of cron. A subagent's parent can use more than that.
func (d *Display) terse() bool {
	return d.o.Quiet && d.o.Depth == 0 && !term.IsTerminal(int(d.env.Stderr.Fd()))
}

// ours reports whether a stage is one of ua's programs that print their own errors.
func ours(stage string) bool { return stage == "ua-think" || stage == "ua-journal" }

// Said reports whether the last error event came from the stage itself.
func (d *Display) Said(stage string) bool {
	return d.LastError != nil && event.Str(d.LastError, "stage") == stage
}
