package session

import (
	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/failure"
	"ua/internal/common/prog"
)

// give ends a turn. The event of a failure comes first, then the response with what is
// complete, after which the following stages expect no more of this turn. The program ends
// with a failure, unless the answer itself is one: a refusal, or text cut at the limit of tokens.
func (s *Session) give(a *reply, f *failure.Failure) error {
	if f == nil {
		s.remark(a)
		f = s.spoiledAgain(a.Answer)
	}
	if s.outcome, s.told = nil, f != nil; f == nil {
		s.respond(a)
		return nil
	}
	s.tell(f)
	s.outcome = f.Exit()
	switch {
	case a == nil:
	case (a.Stop == answer.Refusal || a.Stop == answer.MaxTokens) && a.Calls == 0:
		s.respond(a)
		return nil
	case a.Began || f.Status > 128: // a signal gives a response even before the model has begun
		if a.Stop == "" || a.Stop == answer.Interrupted {
			a.Stop = answer.Interrupted
		} else {
			a.Stop = answer.Failed
		}
		s.respond(a)
	}
	if f.Status > 128 {
		return prog.Exit(f.Status)
	}
	return s.outcome
}

// remark tells people what is odd about a good answer: each thing once.
func (s *Session) remark(a *reply) {
	once := func(odd bool, what string) {
		if odd && !s.warned[what+a.spec] {
			s.warned[what+a.spec] = true
			s.Note(what, a.spec)
		}
	}
	once(a.Dropped, "%s called a tool, although none was declared: the call is dropped")
	once(a.Again, "%s sent a call twice: it counts once")
	once(a.Unsaid, "%s gave no stop reason; nothing is missing in its answer, so it is taken")
}
