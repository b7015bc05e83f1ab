package session

import "ua/cmd/ua-think/internal/usage"

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
