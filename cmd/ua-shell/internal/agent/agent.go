// Package agent is the agent of a session: it acts on a # line. The shell's hook waits
// while a turn goes on. For each command that may run, the hook lets the shell go to its
// prompt, where the command is typed, and waits again after the command. Everything here
// runs on the goroutine that owns the terminal.
package agent

import (
	"strings"
	"time"

	"ua/cmd/ua-shell/internal/integration"
	"ua/cmd/ua-shell/internal/keys"
	"ua/cmd/ua-shell/internal/record"
	"ua/cmd/ua-shell/internal/relay"
	"ua/cmd/ua-shell/internal/ring"
	"ua/cmd/ua-shell/internal/screen"
	"ua/cmd/ua-shell/internal/tracker"
	"ua/internal/common/journal"
	"ua/internal/common/redact"
)

// Options are what the command line and the session set for the agent.
type Options struct {
	Shell   string // its name: bash, zsh, fish
	Profile string // of the sandbox around the shell, "" for none
	Began   string // the folder in which the session has begun
	Terms   []byte // on which it has, for the run event
	Lines   int    // of a command's output that the user ran, for the model
	Version string
	Limits  Limits
	PTY     int   // the shell's
	Trouble error // why there can be no agent, nil if there can
	// Reach lets the sandbox around the shell reach the hosts, and no others besides its own.
	Reach func(hosts []string) error
	// LendTerminal gives the terminal to a program, as for an editor, and waits for it.
	LendTerminal func(run func() error) error
}

// An Agent is the agent of one session.
type Agent struct {
	Options
	relay   *relay.Relay
	tracker *tracker.Tracker
	meet    *integration.Integration
	ring    *ring.Ring
	screen  *screen.Screen
	secrets *redact.Set

	names   []string          // of variables that the model has set in the shell
	told    map[string]bool   // the subagents that the journal has, by ID
	begun   bool              // the journal has its first lines
	history []*record.Command // what the user ran since the last question
	running *record.Command   // runs now, nil for nothing
	line    string            // was typed since the hook has waited
	got     bool              // a line was typed, perhaps an empty one
	turn    *turn             // goes on, nil for none
	held    []byte            // what was typed meanwhile
	typedAt time.Time         // when something was typed last
	tally   journal.Tally
	started time.Time

	sequence keys.Sequence // of what comes from the terminal

	// Of the shell's hook:
	poked    time.Time // when somebody said that it waits to be asked
	looking  bool      // whether it does is being looked at
	waiting  bool      // it waits for an answer
	meetings int       // how often it has told what the shell is at
	checking bool      // whether the shell is at its prompt will be looked at
	mute     bool      // it was lost, and the person knows
	doubted  bool      // marks came that are not the shell's
	warned   bool      // the person knows of them
	unsure   bool      // a # line came that may be somebody else's
}

// New returns the agent of a session and has the tracker, the relay and the ring call it.
func New(o Options, r *relay.Relay, t *tracker.Tracker, meet *integration.Integration,
	stages *ring.Ring, s *screen.Screen, secrets *redact.Set) *Agent {
	a := &Agent{Options: o, relay: r, tracker: t, meet: meet, ring: stages, screen: s,
		secrets: secrets, started: time.Now()}
	t.Accepted, t.Started, t.Ended = a.accepted, a.startedCommand, a.endedCommand
	t.Prompt, t.Pasting, t.Nothing = a.prompt, a.pasting, a.nothing
	t.StrayPrompt, t.Answered = a.checkPrompt, a.hookAnswered
	t.Asked, t.HookWaits, t.Unproven = a.hookAsked, a.hookWaits, a.unproven
	t.Told, t.Typed = meet.Told, meet.Typed
	r.Input = a.Input
	stages.Kept, stages.Judged, stages.Said, stages.Lost = a.kept, a.judged, a.said, a.lost
	return a
}

// Output is called with what the shell prints, before the terminal gets it.
func (a *Agent) Output(p []byte) {
	// A program on the alternate screen draws: its output is no text for a model.
	if a.running != nil && a.tracker.State == tracker.Running && !a.tracker.Alt {
		a.running.Write(p)
	}
	if a.turn != nil {
		a.screen.Clear()
		a.screen.Left()
	}
}

// accepted is called with the line that was typed, before it runs.
func (a *Agent) accepted(line string) {
	if a.line, a.got = line, true; a.turn != nil && a.turn.phase == typed {
		a.turn.compare(line)
	}
}

// startedCommand is called when a command begins to run.
func (a *Agent) startedCommand() {
	a.running = &record.Command{Cwd: a.tracker.Cwd, Began: time.Now()}
	if a.turn != nil {
		a.turn.commandStarted()
	}
}

// endedCommand is called with the exit status of the command. One that the user ran is
// kept for the next question, and one of a turn is that turn's result. A command without
// a line was run by nobody: some program has printed a mark.
func (a *Agent) endedCommand(status int) {
	c := a.running
	a.running = nil
	if c == nil {
		return
	}
	c.Status, c.Took = status, time.Since(c.Began)
	c.Line = a.tracker.Line
	if a.turn != nil {
		a.turn.commandEnded(c)
		return
	}
	if c.Line == "" {
		return
	}
	if a.history = append(a.history, c); len(a.history) > mostCommands {
		a.history = a.history[1:]
	}
}

// nothing is called when a prompt comes although nothing ran before it.
func (a *Agent) nothing() {
	if a.turn != nil {
		a.turn.notRun()
	}
}

// release ends the turn and lets the shell draw its prompt. What was typed in the
// meantime is held until the line editor reads.
func (a *Agent) release() {
	a.turn = nil
	_ = a.Reach(nil) // nothing is typed that could
	a.screen.EndLine()
	a.relay.Hold(false)
	if a.waiting {
		a.waiting = false
		a.meet.Done()
		a.letGo()
	}
	if len(a.held) > 0 {
		a.checkPrompt()
	}
}

// prompt is called when the line editor reads a line.
func (a *Agent) prompt() {
	if a.waiting { // it can't while the hook waits
		a.checkPrompt()
		return
	}
	if a.turn != nil {
		a.turn.atPrompt()
		return
	}
	if held := a.held; len(held) > 0 {
		a.held = nil
		a.relay.Type(held)
	}
}

// pasting is called when the line editor has asked for bracketed paste.
func (a *Agent) pasting() {
	if a.turn != nil {
		a.turn.pasting()
	}
}

// instruction returns what a # line says: each of its lines without the # and one blank.
func instruction(line string) string {
	lines := strings.Split(line, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimPrefix(strings.TrimPrefix(strings.TrimLeft(l, " \t"), "#"), " ")
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// said shows a line that a stage prints for people.
func (a *Agent) said(stage, text string) {
	if a.turn != nil {
		a.screen.Say("%s", a.screen.Paint.Yellow(printable(text)))
	}
}

// Close ends the stages. A journal that was begun ends with a summary.
func (a *Agent) Close() {
	a.screen.EndLine()
	if a.begun {
		a.ring.Close(a.tally.Summary(0, time.Since(a.started)))
	}
}

// Begun reports whether the journal holds anything.
func (a *Agent) Begun() bool { return a.begun }
