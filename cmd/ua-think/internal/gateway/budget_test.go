package gateway

import (
	"context"
	"strings"
	"sync"
	"testing"

	"ua/cmd/ua-think/internal/usage"
)

// tenAMillion is a price of 10 dollars for a million tokens of the answer, 1 of the prompt.
func tenAMillion() *usage.Price {
	return &usage.Price{Rate: usage.Rate{Input: 1, CacheRead: 1, CacheWrite: 1, Output: 10}}
}

// TestReserve: an answer is bounded to what is left, or refused where that is no use.
func TestReserve(t *testing.T) {
	for name, c := range map[string]struct {
		tokens int64
		usd    float64
		q      question
		answer int64 // the bound
		refuse string
	}{
		"no limit":    {0, 0, question{prompt: 1e6, answer: 1e6}, 0, ""},
		"enough":      {10000, 0, question{prompt: 1000, answer: 500}, 500, ""},
		"just enough": {1500, 0, question{prompt: 1000, answer: 500}, 500, ""},
		"less":        {1400, 0, question{prompt: 1000, answer: 500}, 400, ""},
		"too little": {1100, 0, question{prompt: 1000, answer: 500}, 0,
			"the budget is spent"},
		"little, and no more asked": {1100, 0, question{prompt: 1000, answer: 100}, 100, ""},
		"the prompt is too long": {900, 0, question{prompt: 1000, answer: 500}, 0,
			"the budget is spent"},
		"no bound":            {50000, 0, question{prompt: 1000}, unboundedAnswer, ""},
		"no bound, less left": {11000, 0, question{prompt: 1000}, 10000, ""},
		"thinking needs more": {1400, 0, question{prompt: 1000, answer: 2000, thinking: 1024}, 0,
			"is spent"},
		"dollars": {0, 0.01, question{prompt: 1000, answer: 500, price: tenAMillion()},
			500, ""},
		"fewer dollars": {0, 0.005005, question{prompt: 1000, answer: 500,
			price: tenAMillion()}, 400, ""},
		"no dollars": {0, 0.0009, question{prompt: 1000, answer: 500,
			price: tenAMillion()}, 0, "is spent"},
		"the smaller of both": {1450, 0.005005, question{prompt: 1000, answer: 500,
			price: tenAMillion()}, 400, ""},
		"dollars without price": {0, 1, question{prompt: 1000, answer: 500}, 0, "no price is known"},
		"tokens without price":  {10000, 0, question{prompt: 1000, answer: 500}, 500, ""},
	} {
		h, no := NewBudget(c.tokens, c.usd).reserve(t.Context(), &c.q)
		if (no == nil) != (c.refuse == "") || no != nil && !strings.Contains(no.msg, c.refuse) ||
			h != nil && h.answer != c.answer {
			t.Errorf("%s: %+v, %+v", name, h, no)
		}
	}
}

// TestSettle: what a request took counts, and what it did not take can be had again.
func TestSettle(t *testing.T) {
	b := NewBudget(10000, 0)
	h, _ := b.reserve(t.Context(), &question{prompt: 1000, answer: 4000})
	if _, left := b.left(); left.Tokens != 5000 {
		t.Errorf("held: %+v left", left)
	}
	b.settle(h, usage.Usage{Input: 900, Output: 100})
	if _, left := b.left(); left.Tokens != 9000 {
		t.Errorf("settled: %+v left", left)
	}
	if got := b.state(); got != "1000 of 10000 tokens are used" {
		t.Error(got)
	}
	b.Others(Amount{Tokens: 7000})
	b.Others(Amount{Tokens: 10}) // it only grows
	if _, left := b.left(); left.Tokens != 2000 {
		t.Errorf("with others: %+v left", left)
	}
	if got := b.state(); got != "8000 of 10000 tokens are used" {
		t.Error(got)
	}
	h, _ = b.reserve(t.Context(), &question{prompt: 1000, answer: 4000})
	if h == nil || h.answer != 1000 {
		t.Fatalf("with others: %+v", h)
	}
	b.settle(h, usage.Usage{Input: 20000}) // more than was reserved
	if _, left := b.left(); left.Tokens != 0 {
		t.Errorf("overspent: %+v left", left)
	}
	if _, no := b.reserve(t.Context(), &question{prompt: 1, answer: 1}); no == nil {
		t.Error("a spent budget was given")
	}
}

// TestWait: a request waits for what others hold, and no longer than it may.
func TestWait(t *testing.T) {
	b := NewBudget(2000, 0)
	q := &question{prompt: 500, answer: 1000}
	first, _ := b.reserve(t.Context(), q)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, no := b.reserve(over, q); no == nil || no.name != reasonBusy.name {
		t.Errorf("given up: %+v", no)
	}
	second := make(chan *hold)
	go func() {
		h, _ := b.reserve(t.Context(), q)
		second <- h
	}()
	b.settle(first, usage.Usage{Input: 100, Output: 100})
	if h := <-second; h == nil || h.answer != 1000 {
		t.Errorf("%+v", h)
	}
}

// TestTogether: requests at the same time never take more than the limit.
func TestTogether(t *testing.T) {
	const limit = 100000
	b := NewBudget(limit, 0)
	var all sync.WaitGroup
	var mu sync.Mutex
	took := int64(0)
	for range 40 {
		all.Add(1)
		go func() {
			defer all.Done()
			for {
				h, no := b.reserve(t.Context(), &question{prompt: 700, answer: 3000})
				if no != nil {
					return
				}
				u := usage.Usage{Input: 700, Output: h.answer}
				mu.Lock()
				took += u.Tokens()
				mu.Unlock()
				b.settle(h, u)
			}
		}()
	}
	all.Wait()
	if took > limit || took < limit-700-leastAnswer {
		t.Errorf("%d of %d were taken", took, limit)
	}
}
