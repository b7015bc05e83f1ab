// Package ring is the stages of a session: ua-think, ua-gate and ua-journal,
// started when the first question comes and kept, so that the conversation stays
// warm. Every event goes through the journal first; only what is kept is acted
// on. The hands are the caller's.
package ring

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"ua/internal/common/config"
	"ua/internal/common/event"
	"ua/internal/common/journal"
	"ua/internal/common/prog"
	"ua/internal/common/regular"
	"ua/internal/common/run"
)

// promptRoom is how many tokens of a request the prompt and the tools may take beside
// the conversation.
const promptRoom = 4096

// A Ring is the stages of one session. Its methods are for one goroutine, on
// which Post has functions called.
type Ring struct {
	Run      run.Run
	Shell    string        // the dialect of the commands
	Confined bool          // a sandbox is around the shell and keeps the gate's word
	Gateway  *Gateway      // for subagents, nil where they have the key
	Think    []string      // further arguments of ua-think, also where it serves subagents
	Effort   string        // how hard the model is to think, "" for its own
	Context  int           // how much of the conversation the model is sent, in tokens
	Patience time.Duration // how long a question waits for its answer

	ThinkLine string // a line of sh in place of ua-think, "" for none
	GateLine  string // a line of sh in front of ua-gate, which can only tighten it, "" for none

	Post   func(func())
	Kept   func(line []byte)        // an event that the journal has kept
	Judged func(line []byte)        // what the gate says of the call at hand
	Said   func(stage, text string) // a line for people
	Lost   func(stage, how string)  // a stage has ended; how is "" when all was well

	think, gate, keeper *stage
	answers             *os.File
	cut                 int64
	ending              bool   // ua-think was interrupted and has not ended
	turn                []byte // waits for it to end
	lastly              bool
}

// Put hands an event to the journal. It comes back by Kept.
func (r *Ring) Put(line []byte) error {
	if !r.keeper.alive() {
		argv, err := builtin("ua-journal", []string{"append", "--tee", "--final", r.Run.Journal()})
		if err != nil {
			return err
		}
		if r.keeper, err = start("ua-journal", argv, config.WithoutKeys(os.Environ()), r.Post,
			r.kept,
			r.says("ua-journal"), r.end); err != nil {
			return err
		}
	}
	r.keeper.in.Put(line)
	return nil
}

// says returns what takes a stage's words for people.
func (r *Ring) says(stage string) func(string) {
	return func(text string) { r.Said(stage, text) }
}

// end is told when a stage has ended.
func (r *Ring) end(s *stage) {
	if r.lastly || r.Gateway != nil && s == r.Gateway.stage {
		return
	}
	if s == r.think && r.ending {
		line := r.turn
		r.turn, r.ending = nil, false
		if line == nil {
			return
		}
		if err := r.ask(line); err != nil {
			r.Lost("ua-think", err.Error())
		}
		return
	}
	r.Lost(s.name, s.failure())
}

// kept passes on what the journal has kept: to ua-think, and to the caller.
func (r *Ring) kept(line []byte) {
	typ := event.Type(line)
	switch {
	case typ == "turn":
		if err := r.ask(line); err != nil {
			r.Lost("ua-think", err.Error())
			return
		}
	case journal.Keeps(typ) && r.think.alive() && !r.ending:
		r.think.in.Put(line)
	}
	r.Kept(line)
}

// ask has ua-think ask the model. One that was interrupted is waited for, and a
// new one is given the conversation as `ua-journal read` prints it.
func (r *Ring) ask(turn []byte) error {
	info, err := os.Stat(r.Run.Journal())
	if err != nil {
		return err
	}
	cut := journal.Cut(info.Size(), r.Context)
	switch {
	case r.think.alive() && r.ending:
		r.turn = turn
		return nil
	case !r.think.alive():
		if r.think, err = r.startThink(); err != nil {
			return err
		}
		err = r.recall(info.Size())
	case cut != r.cut:
		err = r.recall(info.Size())
	}
	r.cut = cut
	r.think.in.Put(turn)
	return err
}

// startThink starts ua-think, or the line that stands in its place.
func (r *Ring) startThink() (*stage, error) {
	args := append([]string{"--quiet", "--context-tokens", strconv.Itoa(r.Context + promptRoom)},
		r.Think...)
	if r.Effort != "" {
		args = append(args, "--effort", r.Effort)
	}
	argv, err := builtin("ua-think", args)
	if r.ThinkLine != "" {
		argv, err = []string{"/bin/sh", "-c", r.ThinkLine}, nil
	}
	if err != nil {
		return nil, err
	}
	return start("ua-think", argv, os.Environ(), r.Post, r.heard, r.says("ua-think"), r.end)
}

// recall gives ua-think the conversation anew.
func (r *Ring) recall(size int64) error {
	f, err := regular.Open(r.Run.Journal())
	if err != nil {
		return err
	}
	defer f.Close()
	lines, err := journal.Conversation(f, size, r.Context, func(err error) {
		r.Said("ua-journal", err.Error())
	})
	for _, line := range lines {
		r.think.in.Put(line)
	}
	return err
}

// heard takes what ua-think says to the journal, but for what others of the ring say:
// a verdict is the gate's, whatever stands in ua-think's place.
func (r *Ring) heard(line []byte) {
	switch event.Type(line) {
	case "ask", "answer", "verdict", "tool_result", "turn", "instruction", "system", "run":
		return
	}
	if err := r.Put(line); err != nil {
		r.Lost("ua-journal", err.Error())
	}
}

// Interrupt cuts the answer off that is being streamed. The next turn waits until
// ua-think has ended.
func (r *Ring) Interrupt() {
	r.think.signal(syscall.SIGINT)
	if r.think.alive() && !r.ending {
		r.ending = true
		r.think.in.End()
		old := r.think
		time.AfterFunc(3*time.Second, func() { r.Post(func() { old.signal(syscall.SIGKILL) }) })
	}
}

// Judge has the gate judge a call: what it says comes by Judged.
func (r *Ring) Judge(call []byte) error {
	if !r.gate.alive() {
		if err := r.startGate(); err != nil {
			return err
		}
	}
	r.gate.in.Put(call)
	if r.GateLine != "" {
		r.gate.in.Put(event.New(behindCall).Line())
	}
	return nil
}

// behindCall is the type of the line behind a call that tells two gates in a row that
// no verdict comes from before them.
const behindCall = "behind_call"

// judged passes on what the gates say.
func (r *Ring) judged(line []byte) {
	if event.Type(line) != behindCall {
		r.Judged(line)
	}
}

// startGate starts ua-gate. The answers reach it by a descriptor: what runs in the
// shell finds no file by which it could answer for the person.
func (r *Ring) startGate() error {
	answers, err := pipe()
	if err != nil {
		return err
	}
	if r.answers != nil {
		r.answers.Close()
	}
	r.answers = answers.w
	args := []string{"--ask", "--answers", "/dev/fd/3", "--ask-timeout", r.Patience.String(),
		"--journal", r.Run.Journal(), "--shell", r.Shell}
	if !r.Confined {
		args = append(args, "--unconfined")
	}
	if r.GateLine == "" {
		args = append(args, "--first-gate")
	}
	argv, err := builtin("ua-gate", args)
	if err != nil {
		return err
	}
	if r.GateLine != "" {
		argv = append([]string{"/bin/sh", "-c", "(" + r.GateLine + "\n) 3<&- | \"$0\" \"$@\""},
			argv...)
	}
	r.gate, err = start("ua-gate", argv, os.Environ(), r.Post, r.judged, r.says("ua-gate"), r.end,
		answers.r)
	return err
}

// Answer gives the gate a person's answer, an answer event.
func (r *Ring) Answer(line []byte) {
	if r.answers != nil {
		r.answers.Write(append(line, '\n'))
	}
}

// Level returns the risk that the gate sees in a command, without a question.
func (r *Ring) Level(command, cwd string) *exec.Cmd {
	return exec.Command(prog.Sibling("ua-gate"), "check", "--json",
		"--shell", r.Shell, "--cwd", cwd, "--", command)
}

// Close ends the stages and has the journal end with the line.
func (r *Ring) Close(last []byte) {
	r.lastly = true
	if r.Gateway != nil {
		r.Gateway.stage.signal(syscall.SIGTERM)
	}
	r.think.signal(syscall.SIGTERM)
	r.gate.signal(syscall.SIGTERM)
	if !r.keeper.alive() {
		return
	}
	r.keeper.in.Put(last)
	r.keeper.in.End()
	select {
	case <-r.keeper.done:
	case <-time.After(5 * time.Second):
		r.keeper.signal(syscall.SIGKILL)
	}
}
