package session

import (
	"context"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/gatewayclient"
	"ua/cmd/ua-think/internal/sharedbudget"
	"ua/cmd/ua-think/internal/usage"
	"ua/internal/common/event"
)

// A Wish is the second line of a conversation over a socket: what is asked for, within what the
// other side gives (ua-think(1), serve).
type Wish struct {
	Type  string `json:"type"`            // "options"
	Model string `json:"model,omitempty"` // as --model takes it; "" for the usual one
	Options
}

// An Above is where the run above answers, which has the key that this program lacks: its
// socket, what to show there, and the model to ask for when nobody names one.
type Above struct{ Socket, Token, Model string }

// An above is a conversation with the run above. What it uses is held in the session's budget,
// by the number of questions: the run above knows its own limits, and not those of this one.
type above struct {
	*gatewayclient.Client

	mu   sync.Mutex
	held *sharedbudget.Hold // for the question that is asked now
	used usage.Usage        // by it
}

// AskAbove has the run above answer in place of the models.
func (s *Session) AskAbove(a Above) (err error) {
	wish := Wish{"options", a.Model, s.Options}
	if s.above.Client, err = gatewayclient.Dial(a.Socket, a.Token, wish); err == nil {
		err = s.above.Listen(s.heard)
	}
	return err
}

// Offered returns the models that the run above may be asked for.
func (s *Session) Offered() []string { return s.above.Models }

// passOn takes a line of a conversation that the run above answers.
func (s *Session) passOn(ctx context.Context, line string) error {
	s.bytes += len(line)
	switch gjson.Get(line, "type").Str {
	case "run":
		s.bytes, s.turns = len(line), false
	case "instruction":
		s.fresh = true
	case "turn":
		s.turns, s.fresh = true, false
		if err := s.holdAbove(ctx); err != nil {
			return err
		}
	}
	return s.outcomeAbove(s.above.Take(line))
}

// finishAbove says that the conversation is whole, and waits for its outcome.
func (s *Session) finishAbove(ctx context.Context) error {
	if s.fresh || !s.turns {
		if err := s.holdAbove(ctx); err != nil {
			return err
		}
	}
	return s.outcomeAbove(s.above.Finish(ctx))
}

// outcomeAbove returns err, which the run above has told if it has ended the conversation.
func (s *Session) outcomeAbove(err error) error {
	select {
	case <-s.above.Ended():
		s.told = true
	default:
	}
	return err
}

// holdAbove reserves what a question can use of the budget that this session shares.
func (s *Session) holdAbove(ctx context.Context) error {
	s.settleAbove()
	if s.Budget == nil {
		return nil
	}
	h, over := s.Budget.Reserve(ctx, &sharedbudget.Question{Answer: 1, Command: s.Command,
		Prompt: usage.Estimate(s.bytes), Price: &usage.Price{}})
	if over != nil {
		return over
	}
	s.above.mu.Lock()
	defer s.above.mu.Unlock()
	s.above.held = h
	return nil
}

// heard passes on an event of the run above. A response ends the question.
func (s *Session) heard(line []byte) {
	typ := event.Type(line)
	if typ == "response" || typ == "error" {
		s.above.mu.Lock()
		s.above.used.Add(usage.Read(gjson.GetBytes(line, "usage")))
		s.above.mu.Unlock()
	}
	s.Out.Put(line)
	if typ == "response" {
		s.settleAbove()
	}
}

// settleAbove charges what a question has used.
func (s *Session) settleAbove() {
	s.above.mu.Lock()
	defer s.above.mu.Unlock()
	if s.above.held != nil {
		s.above.used.Priced = true // by the run above
		s.Budget.Settle(s.above.held, s.above.used)
	}
	s.above.held, s.above.used = nil, usage.Usage{}
}

// stopTime is how long the run above may take to break off an answer.
const stopTime = 3 * time.Second

// End ends the conversation, of which err has come. The run above then breaks off, and does not
// take the end of the conversation for a question.
func (s *Session) End(err error) error {
	if s.above.Client == nil {
		return err
	}
	if err != nil {
		s.above.Stop()
		select {
		case <-s.above.Ended():
		case <-time.After(stopTime):
		}
	}
	s.above.Close()
	s.settleAbove()
	return err
}
