package session

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"ua/cmd/ua-think/internal/answer"
	"ua/cmd/ua-think/internal/failure"
	"ua/cmd/ua-think/internal/provider"
	"ua/internal/common/prog"
)

// try asks one model. After a failure that may pass, and before anything of an answer was
// shown, it asks again; after an empty answer, once. The reply is never nil; with a failure
// it may hold part of an answer.
func (s *Session) try(ctx context.Context, q *question) (*reply, *failure.Failure) {
	silent := false
	for n := 0; ; n++ {
		held, over := s.reserve(ctx, q)
		a := &reply{
			Answer: &answer.Answer{
				Out: s.Out, Limits: s.Options.Answer, IDs: s.ids, NoCall: s.Options.NoTools,
			},
			sha: q.body.SHA256(), spec: q.model.Spec(), start: time.Now(),
		}
		if ctx.Err() != nil {
			return a, failure.Interrupted(Interrupted(ctx))
		} else if over != nil {
			return a, failure.From(over)
		}
		err := q.ask(ctx, a)
		s.estimate(q, a, err != nil)
		if held != nil {
			s.price(a)
			s.Budget.Settle(held, a.Usage)
		}
		if err == nil {
			s.compare(q, a)
			f := s.incomplete(a.Answer)
			if f == nil {
				return a, nil
			}
			err = f
		}
		if ctx.Err() != nil {
			return a, failure.Interrupted(Interrupted(ctx))
		}
		f := failure.From(err)
		// A recording, or a program that has answered, says the same again.
		again := f.Retry && n < s.Options.Retries && (!a.Began || f.Silent) && !(f.Silent && silent) &&
			(a.paid || q.model.API != provider.Replay && (a.Stop == "" || f.Silent))
		silent = silent || f.Silent
		if !a.Began || again {
			f = s.charge(a, f)
		}
		if !again {
			return a, f
		}
		if err := s.afford(q); err != nil {
			over := failure.From(err)
			over.Usage = f.Usage
			return a, over
		}
		wait := f.Wait
		if wait == 0 {
			// A longer wait is the user's decision.
			wait = min(backoff(n), s.Options.MaxWait)
		} else if wait > s.Options.MaxWait {
			f.Hint = fmt.Sprintf("the provider asks to wait %s, until %s; --max-wait is %s",
				wait.Round(time.Second), time.Now().Add(wait).UTC().
					Format(time.RFC3339), s.Options.MaxWait)
			return a, f
		}
		s.retrying(f, wait)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return a, failure.Interrupted(Interrupted(ctx))
		}
	}
}

// backoff returns the wait before try n+1: half a second, doubled each time up to 30
// seconds, and changed at random by up to half. Many clients that failed together then do
// not return together.
func backoff(n int) time.Duration {
	d := min(500*time.Millisecond<<min(n, 10), 30*time.Second)
	return d/2 + rand.N(d)
}

// retrying reports a failure after which the request is sent again.
func (s *Session) retrying(f *failure.Failure, wait time.Duration) {
	again := *f
	again.Retry, again.Wait = true, wait
	s.Out.Put(again.Event())
	s.Note("%s; trying again in %s", f.Msg, wait.Round(time.Millisecond))
}

// Interrupted returns the exit status for the signal that ended ctx, 0 if none did.
func Interrupted(ctx context.Context) int {
	if e, ok := context.Cause(ctx).(prog.Exit); ok {
		return int(e)
	}
	return 0
}

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
	s.Out.Put(f.Event())
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
