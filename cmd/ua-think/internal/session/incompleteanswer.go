package session

import (
	"fmt"

	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/failure"
	"ua/cmd/ua-think/internal/schema"
	"ua/internal/common/prog"
)

// incomplete returns what is wrong with an answer that has come to its end, or nil. One with calls
// goes on, even at the limit of its tokens: the model is told of a call that was cut there.
func (s *Session) incomplete(a *answer.Answer) *failure.Failure {
	switch {
	case a.Stop == answer.Refusal:
		return failure.Refused(a.Why)
	case a.Stop == answer.MaxTokens && a.Calls > 0:
		return nil
	case a.Stop == answer.MaxTokens && a.Full():
		return failure.API("the answer is incomplete", 0, "context_length_exceeded",
			"the model's context is full ("+a.Why+")")
	case a.Stop == answer.MaxTokens:
		return &failure.Failure{
			Msg:  "the answer is incomplete: it reached the limit of its tokens (" + a.Why + ")",
			Hint: "--max-tokens raises it", Status: prog.No,
		}
	case a.Stop != answer.EndTurn && a.Stop != answer.ToolUse:
		return &failure.Failure{
			Msg: fmt.Sprintf("the answer is incomplete: it ended with %q", a.Why),
			// A turn that has paused that often is not asked anew: it would pause again.
			Status: prog.TryLater, Retry: a.Stop != answer.Pause,
		}
	case a.Dropped && !a.Says():
		return &failure.Failure{
			Msg:    "the model called a tool instead of answering, although none was declared",
			Status: prog.No,
		}
	case a.Calls > 0:
		return nil
	case !a.NoCall && a.EndsInCall():
		return &failure.Failure{
			Msg:    fmt.Sprintf("the answer ends in a call (%s), but no call came", a.Why),
			Status: prog.TryLater, Retry: true, Silent: true,
		}
	case !a.Says():
		return &failure.Failure{
			Msg: "the model's answer is empty", Status: prog.TryLater, Retry: true, Silent: true,
		}
	case s.Options.Schema != "":
		return schema.Check(s.Options.Schema, a)
	}
	return nil
}

// mostSpoiled is how many answers in a row may have calls that were cut or are not JSON.
const mostSpoiled = 3

// spoiledAgain returns the failure of an answer with such a call, if too many had one.
func (s *Session) spoiledAgain(a *answer.Answer) *failure.Failure {
	if a.Broken == 0 || s.spoiled+1 < mostSpoiled {
		return nil
	}
	f := &failure.Failure{
		Msg: fmt.Sprintf("the model's calls were not JSON in %d answers in a row, and were not run",
			s.spoiled+1),
		Hint: "use another model, or split the task into smaller steps", Status: prog.No,
	}
	if a.Stop == answer.MaxTokens {
		f.Msg = fmt.Sprintf("the model's calls were cut at the limit of an answer's tokens in "+
			"%d answers in a row, and were not run", s.spoiled+1)
		f.Hint = "--max-tokens raises the limit; or split the task into smaller steps"
	}
	return f
}

// compare warns once when a server counts far fewer tokens in a request than were sent.
// Some servers silently drop the beginning of a conversation that is longer than the
// context with which they run the model. Anthropic's refuses such a request.
func (s *Session) compare(q *question, a *reply) {
	got := int(a.Usage.Prompt())
	if q.model.Strict() || s.warned[a.spec] || !a.paid {
		return
	}
	if got == 0 || q.tokens < fewTokens || got > q.tokens/3 {
		return
	}
	s.warned[a.spec] = true
	s.Note("%s read %d tokens of a conversation of about %d: its beginning may be lost "+
		"(a larger context on the server, or --context-tokens, helps)", q.model.Spec(), got, q.tokens)
}
