package session

import (
	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/failure"
	"ua/cmd/ua-think/internal/usage"
)

// estimate completes what the provider has reported of an answer. A request that failed
// before the provider took it up, or before it said a word, is not charged.
func (s *Session) estimate(q *question, a *reply, failed bool) {
	if a.paid && (!failed || a.Began || a.Usage.Tokens() > 0) {
		a.Usage.Assume(int64(q.tokens), a.Size(), a.Stop == "")
	}
}

// charge counts a request that has failed and that no response is going to tell of. Its usage
// stands in the event of the failure.
func (s *Session) charge(a *reply, f *failure.Failure) *failure.Failure {
	if a.Usage.Tokens() == 0 {
		return f
	}
	s.price(a)
	charged := *f
	charged.Usage, a.Usage = a.Usage, usage.Usage{}
	s.spent.Add(charged.Usage)
	return &charged
}

// tell writes the event of a failure. What it cost is counted, and is not when the event
// is fed again.
func (s *Session) tell(f *failure.Failure) {
	line := f.Event()
	s.counted[failedAt(gjson.ParseBytes(line))] = true
	s.Out.Put(line)
}

// failed counts what a request that failed has cost, by its event.
func (s *Session) failed(ev gjson.Result) {
	if at := failedAt(ev); ev.Get("usage").Exists() && !s.counted[at] {
		s.counted[at] = true
		s.spent.Add(usage.Read(ev.Get("usage")))
	}
}

// failedAt returns what tells the event of a failure from others.
func failedAt(ev gjson.Result) string { return "failed at " + ev.Get("ts").Str }

// price adds what an answer of a provider cost.
func (s *Session) price(a *reply) {
	if !a.paid || a.Usage.Priced {
		return
	}
	if p := s.priceOf(a.spec); p != nil {
		a.Usage.Cost, a.Usage.Priced = p.Cost(a.Usage), true
	}
}

// priceOf returns the price of a model, nil if none is known. It says so once, before the
// model is asked: once an answer streams, the terminal's line belongs to that.
func (s *Session) priceOf(spec string) *usage.Price {
	p, known := s.prices[spec]
	if known {
		return p
	}
	if found, ok := usage.PriceOf(spec, s.Config.Price); ok {
		p = &found
	} else {
		s.Note("no price is known for %s: its cost is not counted", spec)
	}
	s.prices[spec] = p
	return p
}
