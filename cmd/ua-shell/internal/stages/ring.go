// Package stages runs the stages of a session: ua-think, ua-gate and ua-journal. They are
// started with the first question and kept, so that the conversation stays warm. Every
// event goes through the journal first, and only what it has kept is acted on. The caller
// runs the commands.
package stages

import (
	"os"
	"time"

	"ua/internal/common/config"
	"ua/internal/common/event"
	"ua/internal/common/gateway"
	"ua/internal/common/journal"
	"ua/internal/common/run"
	"ua/internal/common/runfolder"
	"ua/internal/common/spending"
)

// A Ring is the stages of one session. Its methods belong to one goroutine, on which Post
// calls functions.
type Ring struct {
	Run       run.Run
	Settings  config.Agent     // Think stands in place of ua-think, Gate in front of ua-gate
	Shell     string           // the dialect of the commands
	Confined  bool             // a sandbox is around the shell and keeps the gate's word
	Gateway   *gateway.Gateway // for subagents, nil where they have the key
	ThinkArgs []string         // further arguments of ua-think, also where it serves subagents
	Effort    string           // how hard the model is to think, "" for its own
	Patience  time.Duration    // how long a question waits for its answer
	Notifier  *runfolder.Notifier

	Post   func(func())
	Kept   func(line []byte)        // an event that the journal has kept
	Judged func(line []byte)        // what the gate says of the call at hand
	Said   func(stage, text string) // a line for people
	Lost   func(stage, how string)  // a stage has ended, or can't start; how is "" when all was well

	think, gate, keeper *member
	judge               *gateway.Gateway // for that of a ua-gate in the line; nil until it is needed
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

// says returns the function that takes a stage's lines for people.
func (r *Ring) says(stage string) func(string) {
	return func(text string) { r.Said(stage, text) }
}

// Spent returns what the session has spent of its budget: its own questions, those of judges
// and those of subagents that a gateway has answered.
func (r *Ring) Spent() spending.Sum {
	return spending.Of(&r.own).Plus(spending.Of(&r.judges)).Plus(r.Gateway.Answered())
}

// count counts what an event that the journal has kept tells of the session's own use.
func (r *Ring) count(line []byte) {
	switch event.Type(line) {
	case "judge":
		r.judges.Add(line)
	case "response", "error":
		r.own.Add(line)
	default:
		return
	}
	r.share()
}

// share tells the gateways what others than those who ask them have spent.
func (r *Ring) share() {
	r.Gateway.Spent(r.Spent().Minus(r.Gateway.Answered()))
	r.judge.Spent(r.Spent().Minus(spending.Of(&r.judges)))
}
