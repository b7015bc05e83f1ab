package agent

import (
	"time"

	"ua/cmd/ua-shell/internal/integration"
	"ua/cmd/ua-shell/internal/relay"
	"ua/cmd/ua-shell/internal/screen"
	"ua/cmd/ua-shell/internal/shellcommand"
	"ua/cmd/ua-shell/internal/stages"
	"ua/cmd/ua-shell/internal/tracker"
	"ua/internal/common/redact"
)

// New returns the agent of a session and has the tracker, the relay and the ring call it.
func New(o Options, r *relay.Relay, t *tracker.Tracker, meet *integration.Integration,
	stages *stages.Ring, s *screen.Screen, secrets *redact.Set) *Agent {
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
	a.running = &shellcommand.Command{Cwd: a.tracker.Cwd, Began: time.Now()}
	if a.turn != nil {
		a.turn.commandStarted()
	}
}

// mostCommands is how many of the commands that the user ran are kept for the model.
const mostCommands = 20

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

// pasting is called when the line editor has asked for bracketed paste.
func (a *Agent) pasting() {
	if a.turn != nil {
		a.turn.pasting()
	}
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
