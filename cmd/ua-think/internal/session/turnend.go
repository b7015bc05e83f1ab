package session

import (
	"ua/cmd/ua-think/internal/failure"
	"ua/cmd/ua-think/internal/schema"
	"ua/internal/common/prog"
)

// give ends a turn. The event of a failure comes first, then the response with what is
// complete, after which the following stages expect no more of this turn. A failure that
// left the answer incomplete ends the program.
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
			s.tell(f)
			s.outcome = f.Exit()
		}
		s.respond(a)
		return nil
	}
	s.told = true
	s.tell(f)
	// A signal gives a response even before the model has begun.
	if a != nil && (a.Began || f.Status > 128) {
		a.Stop = "interrupted"
		s.respond(a)
	}
	if f.Status > 128 {
		return prog.Exit(f.Status)
	}
	return f.Exit()
}
