// Package session answers the turns of a conversation: everything that one process is
// asked.
package session

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/conversation"
	"ua/cmd/ua-think/internal/failure"
	"ua/cmd/ua-think/internal/provider"
	"ua/cmd/ua-think/internal/settings"
	"ua/cmd/ua-think/internal/sharedbudget"
	"ua/cmd/ua-think/internal/transport"
	"ua/cmd/ua-think/internal/usage"
	"ua/internal/common/event"
	"ua/internal/common/prog"
	"ua/internal/common/style"
)

// Options holds for every question of a Session.
type Options struct {
	// The prompt of a conversation that brings none.
	System        string        `json:"system,omitempty"`
	NoTools       bool          `json:"no_tools,omitempty"`
	Effort        string        `json:"effort,omitempty"`
	Thinking      int           `json:"thinking"`                 // -1 when the model decides
	Schema        string        `json:"schema,omitempty"`         // of the answer, or ""
	MaxTokens     int           `json:"max_tokens,omitempty"`     // 0 when the provider decides
	ContextTokens int           `json:"context_tokens,omitempty"` // of a request, 0 for no limit
	BudgetTokens  int64         `json:"budget_tokens,omitempty"`  // 0 for none, as for dollars
	BudgetUSD     float64       `json:"budget_usd,omitempty"`
	Retries       int           `json:"retries"`  // tries after the first
	MaxWait       time.Duration `json:"max_wait"` // longest wait that a provider may ask for
	Answer        answer.Limits `json:"-"`
	DryRun        bool          `json:"dry_run,omitempty"`
	Quiet         bool          `json:"-"`
}

// A Session holds one conversation and asks models about it.
type Session struct {
	Options Options
	Config  *settings.Settings
	Models  []provider.Model // the one to ask, then the ones to fall back on
	Client  *transport.Client
	Out     *event.Outbox
	Stderr  *os.File
	Budget  *sharedbudget.Budget // that this session shares with others; nil for none
	Command string               // that asks, of those who share it; "" for none

	above   above // answers in place of Models, if ended is there
	talk    *conversation.Conversation
	lines   []string        // that the conversation came in
	bytes   int             // of lines
	ids     map[string]bool // of its calls
	answers int             // responses in it, those that a checkpoint stands for too
	played  int             // responses that a recording gave, in all conversations
	spent   usage.Usage     // by the run: what is fed again, cut, counts once
	counted map[string]bool // hashes of the requests in spent
	fresh   bool            // something came that is not asked about yet
	turns   bool            // a turn event came: the end of input asks only for an instruction
	outcome error
	told    bool // the error that ends the program has its event
	prices  map[string]*usage.Price
	warned  map[string]bool     // models that the user was warned of
	refused map[string][]string // members of a request that the servers of models refuse
	spoiled int                 // answers in a row with a call that was cut or is no JSON
	spoils  bool                // such a call came since the last response
	vision  map[string]bool     // whether models take images, for those whose servers were asked
}

// Begin starts a new conversation. Call it before Take. What was spent and warned of
// stays.
func (s *Session) Begin() {
	s.talk = s.empty()
	s.lines, s.bytes, s.answers = nil, 0, 0
	s.ids = map[string]bool{}
	s.fresh, s.turns = false, false
	if s.prices == nil {
		s.prices, s.counted = map[string]*usage.Price{}, map[string]bool{}
		s.warned, s.vision = map[string]bool{}, map[string]bool{}
		s.refused = map[string][]string{}
	}
}

// empty returns a conversation without events.
func (s *Session) empty() *conversation.Conversation {
	return conversation.New(s.Options.System, s.Options.NoTools)
}

// Told reports whether the error that ends the program was written as an event already.
func (s *Session) Told() bool { return s.told }

// Take adds a line to the conversation, or asks if the line is a turn. Of input without
// turns it notes whether there is something to ask about, for Finish.
func (s *Session) Take(ctx context.Context, line string) error {
	if s.above.ended != nil {
		return s.passOn(ctx, line)
	}
	switch gjson.Get(line, "type").Str {
	case "turn":
		s.turns, s.fresh = true, false
		s.spentInAll(gjson.Get(line, "spent"))
		return s.ask(ctx)
	case "run":
		// The same run may be fed again, as when it was cut. Its costs then count once.
		if id := gjson.Get(line, "id").Str; id == "" || id != s.talk.Run {
			s.spent, s.counted = usage.Usage{}, map[string]bool{}
		}
		s.Begin()
		s.keep(line)
	case "response":
		s.keep(line)
		s.answered(gjson.Parse(line))
	case "checkpoint":
		s.compact()
		s.keep(line)
	case "tool_call":
		s.keep(line)
		s.ids[gjson.Get(line, "id").Str] = true
		s.fresh = s.fresh || !s.turns
	case "instruction":
		s.keep(line)
		s.fresh, s.spoiled = true, 0
	case "shell_command", "message", "check", "tool_result":
		s.keep(line)
		s.fresh = s.fresh || !s.turns
	case "error":
		s.keep(line)
		s.spoils = s.spoils || gjson.Get(line, "stage").Str == failure.Stage &&
			gjson.Get(line, "call_id").Exists()
	case "system":
		s.keep(line)
	}
	return nil
}

// answered records a response in the conversation. What came before it was asked about.
// Unless the response ends the matter, there is more to ask.
func (s *Session) answered(ev gjson.Result) {
	s.answers++
	if s.spoiled++; !s.spoils {
		s.spoiled = 0
	}
	s.spoils = false
	// A response that is fed again was counted already; its request's hash tells.
	if sha := ev.Get("request_sha256").Str; sha == "" || !s.counted[sha] {
		used := usage.Read(ev.Get("usage"))
		if ev.Get("replay").Bool() {
			used = usage.Usage{} // it was paid for when it was recorded
		}
		s.spent.Add(used)
		s.counted[sha] = true
	}
	for _, id := range ev.Get(`content.#(type=="tool_use")#.id`).Array() {
		s.ids[id.Str] = true
	}
	switch ev.Get("stop_reason").Str {
	case "tool_use", "interrupted", "max_tokens", "error":
		s.fresh = !s.turns
	default:
		s.fresh = false
	}
}

// keep adds a line to the conversation.
func (s *Session) keep(line string) {
	s.lines = append(s.lines, line)
	s.bytes += len(line)
	s.talk.Add(line)
}

// compact drops what a checkpoint stands for: everything but the run, the system prompt
// and the first instruction.
func (s *Session) compact() {
	lines := s.lines
	s.lines, s.bytes, s.talk = nil, 0, s.empty()
	asked := false
	for _, line := range lines {
		typ := gjson.Get(line, "type").Str
		if typ == "run" || typ == "system" || typ == "instruction" && !asked {
			s.keep(line)
			asked = asked || typ == "instruction"
		}
	}
}

// Finish asks about what is left when the input ends, and returns the outcome of the last
// answer.
func (s *Session) Finish(ctx context.Context) error {
	switch {
	case s.above.ended != nil:
		return s.finishAbove(ctx)
	case s.fresh:
		if err := s.ask(ctx); err != nil {
			return err
		}
	case s.turns:
	case s.answers > 0:
		return prog.Errorf(prog.Trouble,
			"nothing to ask: the conversation ends with the model's answer").
			Hintf("add an instruction")
	default:
		return prog.Errorf(prog.Trouble, "nothing to ask: there is no instruction")
	}
	return s.outcome
}

// Note prints a dim line for people on stderr, unless the session is quiet.
func (s *Session) Note(format string, a ...any) {
	if s.Options.Quiet {
		return
	}
	text := "ua-think: " + style.Printable(fmt.Sprintf(format, a...))
	fmt.Fprintln(s.Stderr, style.For(s.Stderr).Dim(text))
}
