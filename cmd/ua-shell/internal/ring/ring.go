// Package ring is the stages of a session: ua-think, ua-gate and ua-journal,
// started when the first question comes and kept, so that the conversation stays
// warm. Every event goes through the journal first; only what is kept is acted
// on. The hands are the caller's.
package ring

import (
	"os"
	"syscall"
	"time"

	"ua/internal/common/config"
	"ua/internal/common/event"
	"ua/internal/common/journal"
	"ua/internal/common/run"
)

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
	ending              bool     // ua-think was interrupted and has not ended
	held                [][]byte // events that wait for its last words
	asked               int      // turns on their way to the journal and back
	cancelled           int      // those of them that nobody waits for any more
	lastly              bool
}

// Put hands an event to the journal. It comes back by Kept. While an answer that was
// interrupted ends, the event waits for it: what was said of that answer stands before
// what came next, and the next ua-think reads it.
func (r *Ring) Put(line []byte) error {
	if r.ending {
		r.held = append(r.held, line)
		return nil
	}
	return r.append(line)
}

// append writes an event to the journal.
func (r *Ring) append(line []byte) error {
	if event.Type(line) == "turn" {
		r.asked++
	}
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
		r.release()
		return
	}
	r.Lost(s.name, s.failure())
}

// release puts what was held.
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

// kept passes on what the journal has kept: to ua-think, and to the caller.
func (r *Ring) kept(line []byte) {
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

// Close ends the stages and has the journal end with the line.
func (r *Ring) Close(last []byte) {
	r.lastly = true
	if r.Gateway != nil {
		r.Gateway.stage.signal(syscall.SIGTERM)
	}
	r.think.signal(syscall.SIGTERM)
	r.gate.signal(syscall.SIGTERM)
	r.release()
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
