package session

import "ua/cmd/ua-think/internal/usage"

// price counts what an answer of a provider cost.
func (s *Session) price(a *reply) {
	if !a.paid || a.Usage.Priced {
		return
	}
	if p := s.priceOf(a.spec); p != nil {
		a.Usage.Cost, a.Usage.Priced = p.Cost(a.Usage), true
	}
}

// priceOf returns the price of a model, nil where none is known. That is said once, before
// the model is asked: later the line on the terminal is the answer's.
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
