package session

import (
	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/failure"
	"ua/cmd/ua-think/internal/schema"
	"ua/internal/common/prog"
)

// give ends a turn: the failure's event first, then the response with what was
// complete, which is the barrier for the stages behind. A failure that left
// the model's words incomplete ends the program.
func (s *Session) give(a *reply, f *failure.Failure) error {
	if f == nil {
		if a.Calls > 0 && a.Stop == "end_turn" {
			a.Stop = "tool_use" // some servers don't say so
		}
		if a.NoCall && a.Stop == "tool_use" {
			a.Stop = "end_turn" // the call was dropped
		}
		if f = judge(a.Answer); f == nil && s.Options.Schema != "" && a.Calls == 0 {
			f = schema.Check(s.Options.Schema, a.Answer)
		}
		if f == nil && a.Dropped {
			s.Note("%s called a tool, although none was declared: the call is dropped", a.spec)
		}
		s.outcome = nil
		if s.told = f != nil; s.told {
			s.Out.Add(f.Event())
			s.outcome = f.Exit()
		}
		s.respond(a)
		return nil
	}
	s.told = true
	s.Out.Add(f.Event())
	if a != nil && (a.Began || f.Status > 128) {
		a.Stop = "interrupted"
		s.respond(a)
	}
	if f.Status > 128 {
		return prog.Exit(f.Status)
	}
	return f.Exit()
}

// judge returns what is wrong with an answer that is complete, nil when nothing is.
func judge(a *answer.Answer) *failure.Failure {
	switch a.Stop {
	case "refusal":
		return failure.Refused(a.Why)
	case "max_tokens":
		if a.Why == "model_context_window_exceeded" {
			return failure.API("the answer is not whole", 0,
				"context_length_exceeded", "the model's context is full")
		}
		return &failure.Failure{
			Msg:  "the answer is not whole: it reached the limit of its tokens",
			Hint: "--max-tokens lifts it", Status: prog.No,
		}
	case "error":
		return &failure.Failure{
			Msg:    "the provider ended the answer with an error: " + a.Why,
			Status: prog.TryLater, Retry: true,
		}
	}
	if a.Dropped && !a.Says() {
		return &failure.Failure{
			Msg:    "the model called a tool instead of answering, although none was declared",
			Status: prog.No,
		}
	}
	return nil
}

// fewTokens is how many tokens a conversation must take before compare looks
// at it: the count of a short one says little.
const fewTokens = 3000

// compare warns when a server counts far fewer tokens in a request than were
// sent: some drop the beginning of a conversation that is longer than the
// context that they run the model with, and tell nobody. Anthropic's refuses one.
func (s *Session) compare(q *question, a *reply) {
	got := int(a.Usage.Prompt())
	if q.model.API == "anthropic" || s.warned[a.spec] || !a.paid {
		return
	}
	if got == 0 || q.tokens < fewTokens || got > q.tokens/3 {
		return
	}
	s.warned[a.spec] = true
	s.Note("%s read %d tokens of a conversation of about %d: its beginning may be lost "+
		"(a larger context on the server, or --context-tokens, helps)", q.model.Spec(), got, q.tokens)
}
