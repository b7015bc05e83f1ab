// Package session answers the turns of a conversation: everything that one process is
// asked.
package session

import (
	"context"
	"fmt"
	"os"
	"time"

	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/conversation"
	"ua/cmd/ua-think/internal/provider"
	"ua/cmd/ua-think/internal/settings"
	"ua/cmd/ua-think/internal/sharedbudget"
	"ua/cmd/ua-think/internal/transport"
	"ua/cmd/ua-think/internal/usage"
	"ua/internal/common/event"
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

// keep adds a line to the conversation.
func (s *Session) keep(line string) {
	s.lines = append(s.lines, line)
	s.bytes += len(line)
	s.talk.Add(line)
}

// Note prints a dim line for people on stderr, unless the session is quiet.
func (s *Session) Note(format string, a ...any) {
	if s.Options.Quiet {
		return
	}
	text := "ua-think: " + style.Printable(fmt.Sprintf(format, a...))
	fmt.Fprintln(s.Stderr, style.For(s.Stderr).Dim(text))
}

// A question is a request to one model. It can be asked any number of times.
type question struct {
	model  provider.Model
	body   provider.Body
	tokens int // that the conversation takes, by about
	// ask asks once.
	ask func(context.Context, *reply) error
	// bound limits the answer to that many tokens; nil where nobody is paid.
	bound    func(tokens int) error
	answer   int // the limit that the options set, 0 for none
	thinking int
}

// A reply is an answer with what the response event says about its request.
type reply struct {
	*answer.Answer
	sha      string // of the request's body
	spec     string // PROVIDER/NAME that was asked
	start    time.Time
	paid     bool          // a provider was asked, who takes money
	recorded func() []byte // the response event, when a recording gives it whole
}
