// Package ring runs the stages of a session: ua-think, ua-gate and ua-journal. They are
// started with the first question and kept, so that the conversation stays warm. Every
// event goes through the journal first, and only what it has kept is acted on. The caller
// runs the commands.
package ring

import (
	"os"
	"syscall"
	"time"

	"ua/internal/common/config"
	"ua/internal/common/event"
	"ua/internal/common/gateway"
	"ua/internal/common/journal"
	"ua/internal/common/run"
	"ua/internal/common/runs"
	"ua/internal/common/stage"
)

// A Ring is the stages of one session. Its methods belong to one goroutine, on which Post
// calls functions.
type Ring struct {
	Run      run.Run
	Folder   string           // where sockets are made
	Shell    string           // the dialect of the commands
	Confined bool             // a sandbox is around the shell and keeps the gate's word
	Gateway  *gateway.Gateway // for subagents, nil where they have the key
	Think    []string         // further arguments of ua-think, also where it serves subagents
	Models   []string         // that these may ask besides the session's own
	Effort   string           // how hard the model is to think, "" for its own
	Context  int              // how much of the conversation the model is sent, in tokens
	Patience time.Duration    // how long a question waits for its answer

	ThinkLine string // a line of sh in place of ua-think, "" for none
	GateLine  string // a line of sh in front of ua-gate, which can only tighten it, "" for none
	Notifier  *runs.Notifier

	Post   func(func())
	Kept   func(line []byte)        // an event that the journal has kept
	Judged func(line []byte)        // what the gate says of the call at hand
	Said   func(stage, text string) // a line for people
	Lost   func(stage, how string)  // a stage has ended; how is "" when all was well

	think, gate, keeper *member
	judge               *gateway.Gateway // for that of a ua-gate in GateLine; nil until it is needed
	serving             bool             // who asks at Gateway is answered
	own, judges         journal.Tally    // what was spent
	answers             *os.File
	cut                 int64
	verdict             []byte   // on the call that the gate judges, until its end is there
	ending              bool     // ua-think was interrupted and has not ended
	held                [][]byte // events that wait for its last words
	asked               int      // turns on their way to the journal and back
	cancelled           int      // those of them that nobody waits for any more
	closing             bool
}

// Put appends an event to the journal, which returns it by Kept. While an interrupted
// answer ends, the event waits: the journal then has what was said of that answer before
// what came next, and so has the next ua-think.
func (r *Ring) Put(line []byte) error {
	if r.ending {
		r.held = append(r.held, line)
		return nil
	}
	return r.append(line)
}

// append writes an event to the journal, whose stage is started if it is not running.
func (r *Ring) append(line []byte) error {
	if event.Type(line) == "turn" {
		r.asked++
	}
	if !r.keeper.alive() {
		c, err := stage.Builtin("ua-journal", "append", "--tee", "--final", r.Run.Journal())
		if err != nil {
			return err
		}
		c.Env = config.WithoutKeys(c.Env)
		if r.keeper, err = start(c, r.Post, r.kept, r.says("ua-journal"), r.end); err != nil {
			return err
		}
	}
	r.keeper.in.Put(line)
	return nil
}

// says returns the function that takes a stage's lines for people.
func (r *Ring) says(stage string) func(string) {
	return func(text string) { r.Said(stage, text) }
}

// end is called when a stage has ended.
func (r *Ring) end(s *member) {
	switch {
	case r.closing:
	case s == r.think && r.ending:
		r.release()
	default:
		r.Lost(s.stage.Name(), s.failure())
	}
}

// release appends the events that were held.
func (r *Ring) release() {
	held := r.held
	r.held, r.ending = nil, false
	for _, line := range held {
		if err := r.append(line); err != nil {
			r.Lost("ua-journal", err.Error())
			return
		}
	}
}

// kept passes on what the journal has kept, to ua-think and to the caller.
func (r *Ring) kept(line []byte) {
	r.count(line)
	typ := event.Type(line)
	switch {
	case typ == "turn":
		r.asked--
		if r.cancelled > 0 {
			r.cancelled--
		} else if err := r.ask(line); err != nil {
			r.Lost("ua-think", err.Error())
			return
		}
	case journal.Keeps(typ) && r.think.alive() && !r.ending:
		r.think.in.Put(line)
	}
	r.Kept(line)
}

// Close ends the stages. last is the journal's last line.
func (r *Ring) Close(last []byte) {
	r.closing = true
	for _, g := range []*gateway.Gateway{r.Gateway, r.judge} {
		if g != nil {
			g.Close(r.Run.Dir)
		}
	}
	r.think.signal(syscall.SIGTERM)
	r.gate.signal(syscall.SIGTERM)
	r.release()
	if !r.keeper.alive() {
		return
	}
	r.keeper.in.Put(last)
	r.keeper.in.End()
	// A journal that does not end must not keep the session from ending.
	select {
	case <-r.keeper.stage.Done():
	case <-time.After(5 * time.Second):
		r.keeper.signal(syscall.SIGKILL)
	}
}
