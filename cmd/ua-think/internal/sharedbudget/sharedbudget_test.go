package sharedbudget

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"ua/cmd/ua-think/internal/usage"
	"ua/internal/common/prog"
	"ua/internal/common/spending"
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
		q      Question
		answer int64 // the bound
		refuse string
	}{
		"no limit":    {0, 0, Question{Prompt: 1e6, Answer: 1e6}, 0, ""},
		"enough":      {10000, 0, Question{Prompt: 1000, Answer: 500}, 500, ""},
		"just enough": {1500, 0, Question{Prompt: 1000, Answer: 500}, 500, ""},
		"less":        {1400, 0, Question{Prompt: 1000, Answer: 500}, 400, ""},
		"too little": {1100, 0, Question{Prompt: 1000, Answer: 500}, 0,
			"the budget is used up"},
		"little, and no more asked": {1100, 0, Question{Prompt: 1000, Answer: 100}, 100, ""},
		"the prompt is too long": {900, 0, Question{Prompt: 1000, Answer: 500}, 0,
			"the budget is used up"},
		"no bound":            {50000, 0, Question{Prompt: 1000}, Unbounded, ""},
		"no bound, less left": {11000, 0, Question{Prompt: 1000}, 10000, ""},
		"thinking needs more": {1400, 0, Question{Prompt: 1000, Answer: 2000, Thinking: 1024}, 0,
			"is used up"},
		"dollars": {0, 0.01, Question{Prompt: 1000, Answer: 500, Price: tenAMillion()},
			500, ""},
		"fewer dollars": {0, 0.005005, Question{Prompt: 1000, Answer: 500,
			Price: tenAMillion()}, 400, ""},
		"no dollars": {0, 0.0009, Question{Prompt: 1000, Answer: 500,
			Price: tenAMillion()}, 0, "is used up"},
		"the smaller of both": {1450, 0.005005, Question{Prompt: 1000, Answer: 500,
			Price: tenAMillion()}, 400, ""},
		"dollars without price": {0, 1, Question{Prompt: 1000, Answer: 500}, 0, "no price is known"},
		"tokens without price":  {10000, 0, Question{Prompt: 1000, Answer: 500}, 500, ""},
	} {
		h, no := New(spending.Sum{Tokens: c.tokens, USD: c.usd}).Reserve(t.Context(), &c.q)
		if (no == nil) != (c.refuse == "") || no != nil && !strings.Contains(no.Error(), c.refuse) ||
			h != nil && h.Answer != c.answer {
			t.Errorf("%s: %+v, %+v", name, h, no)
		}
	}
}

// TestSettle: what a request took counts, and what it did not take can be had again.
func TestSettle(t *testing.T) {
	b := New(spending.Sum{Tokens: 10000, USD: 0})
	h, _ := b.Reserve(t.Context(), &Question{Prompt: 1000, Answer: 4000})
	if _, left := b.Left(); left.Tokens != 5000 {
		t.Errorf("held: %+v left", left)
	}
	b.Settle(h, usage.Usage{Input: 900, Output: 100})
	if _, left := b.Left(); left.Tokens != 9000 {
		t.Errorf("settled: %+v left", left)
	}
	if got := b.state(); got != "1000 of 10000 tokens used" {
		t.Error(got)
	}
	b.Others(spending.Sum{Tokens: 7000})
	b.Others(spending.Sum{Tokens: 10}) // it only grows
	if _, left := b.Left(); left.Tokens != 2000 {
		t.Errorf("with others: %+v left", left)
	}
	if got := b.state(); got != "8000 of 10000 tokens used" {
		t.Error(got)
	}
	h, _ = b.Reserve(t.Context(), &Question{Prompt: 1000, Answer: 4000})
	if h == nil || h.Answer != 1000 {
		t.Fatalf("with others: %+v", h)
	}
	b.Settle(h, usage.Usage{Input: 20000}) // more than was reserved
	if _, left := b.Left(); left.Tokens != 0 {
		t.Errorf("overspent: %+v left", left)
	}
	if _, no := b.Reserve(t.Context(), &Question{Prompt: 1, Answer: 1}); no == nil {
		t.Error("a spent budget was given")
	}
}

// TestWait: a request waits for what others hold, and no longer than it may.
func TestWait(t *testing.T) {
	b := New(spending.Sum{Tokens: 2000, USD: 0})
	q := &Question{Prompt: 500, Answer: 1000}
	first, _ := b.Reserve(t.Context(), q)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, no := b.Reserve(over, q); no == nil || no.Status != prog.TryLater {
		t.Errorf("given up: %+v", no)
	}
	second := make(chan *Hold)
	go func() {
		h, _ := b.Reserve(t.Context(), q)
		second <- h
	}()
	b.Settle(first, usage.Usage{Input: 100, Output: 100})
	if h := <-second; h == nil || h.Answer != 1000 {
		t.Errorf("%+v", h)
	}
}

// TestTogether: requests at the same time never take more than the limit.
func TestTogether(t *testing.T) {
	const limit = 100000
	b := New(spending.Sum{Tokens: limit, USD: 0})
	var all sync.WaitGroup
	var mu sync.Mutex
	took := int64(0)
	for range 40 {
		all.Add(1)
		go func() {
			defer all.Done()
			for {
				h, no := b.Reserve(t.Context(), &Question{Prompt: 700, Answer: 3000})
				if no != nil {
					return
				}
				u := usage.Usage{Input: 700, Output: h.Answer}
				mu.Lock()
				took += u.Tokens()
				mu.Unlock()
				b.Settle(h, u)
			}
		}()
	}
	all.Wait()
	if took > limit || took < limit-700-leastAnswer {
		t.Errorf("%d of %d were taken", took, limit)
	}
}

// TestBudgetHolds: what is held at the same time is never beyond the limit, and
// all of it is used in the end.
func TestBudgetHolds(t *testing.T) {
	price := &usage.Price{Rate: usage.Rate{Input: 1e6, Output: 1e6}} // a dollar each
	for _, b := range []*Budget{New(spending.Sum{Tokens: 1000}),
		New(spending.Sum{USD: 1000}), New(spending.Sum{Tokens: 1000, USD: 900}),
		New(spending.Sum{Tokens: 900, USD: 1000})} {
		limit := int64(1000)
		if b.limit.Tokens == 900 || b.limit.USD == 900 {
			limit = 900
		}
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				h, refused := b.Reserve(context.Background(), &Question{Prompt: 10, Answer: 90, Price: price})
				if refused != nil {
					return
				}
				b.mu.Lock()
				if all := b.held.Tokens + b.spent.Tokens; all > limit {
					t.Errorf("%d are held of %d", all, limit)
				}
				b.mu.Unlock()
				b.Settle(h, usage.Usage{Input: 10, Output: h.Answer})
			})
		}
		wg.Wait()
		if b.spent.Tokens > limit || b.spent.Tokens < limit-100 || b.held.Tokens != 0 || b.open != 0 {
			t.Errorf("%+v after all", b)
		}
	}
}

// TestBudgetByChance reserves and settles by chance: what is spent and held is never beyond the
// limit as long as nobody takes more than was reserved, nothing is held at the end, and what
// requests were counted for is what was spent, to the cent.
func TestBudgetByChance(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		b := New(spending.Sum{Tokens: []int64{0, 1000, 50000}[r.IntN(3)],
			USD: []float64{0, 0.01, 3}[r.IntN(3)]})
		if b.limit == (spending.Sum{}) {
			continue // then reserve holds nothing
		}
		price := &usage.Price{
			Rate: usage.Rate{Input: r.Float64() * 10, CacheRead: 0.1, CacheWrite: r.Float64() * 12,
				Output: r.Float64() * 50},
			LongOver: 600,
			Long:     usage.Rate{Input: 20, CacheRead: 0.2, CacheWrite: 25, Output: 90},
		}
		var open []*Hold
		var asked []*Question
		var tokens int64
		var dollars float64
		for range 200 {
			if r.IntN(2) == 0 && len(open) > 0 {
				i := r.IntN(len(open))
				h, q := open[i], asked[i]
				u := usage.Usage{Output: r.Int64N(max(h.Answer, 1) + 1)}
				in := r.Int64N(q.Prompt + 1)
				u.CacheRead = r.Int64N(in + 1)
				u.Input = in - u.CacheRead
				b.Settle(h, u)
				tokens, dollars = tokens+u.Tokens(), dollars+price.Cost(u)
				open[i], asked[i] = open[len(open)-1], asked[len(asked)-1]
				open, asked = open[:len(open)-1], asked[:len(asked)-1]
			} else {
				q := &Question{
					Prompt:   r.Int64N(900),
					Answer:   []int64{0, 1, 300, 1e6, math.MaxInt64 / 4}[r.IntN(5)],
					Thinking: []int64{0, 200}[r.IntN(2)],
					Price:    price,
				}
				h, _, _ := b.try(q)
				if h == nil {
					continue
				}
				if h.Answer < 1 || q.Answer > 0 && h.Answer > q.Answer {
					t.Fatalf("seed %d: %d of %d tokens", seed, h.Answer, q.Answer)
				}
				for _, u := range []usage.Usage{
					{Input: q.Prompt}, {CacheWrite: q.Prompt}, {CacheRead: q.Prompt},
				} {
					if u.Output = h.Answer; h.USD < price.Cost(u)-1e-9 || h.Tokens < u.Tokens() {
						t.Fatalf("seed %d: %+v is reserved, which %+v is more than", seed, h, u)
					}
				}
				open, asked = append(open, h), append(asked, q)
			}
			const dust = 1e-9
			if b.limit.Tokens > 0 && b.spent.Tokens+b.held.Tokens > b.limit.Tokens || b.limit.USD > 0 &&
				b.spent.USD+b.held.USD > b.limit.USD+dust || b.held.USD < -dust {
				t.Fatalf("seed %d: %+v", seed, b)
			}
			limit, left := b.Left()
			if limit != b.limit || left.Tokens < 0 || left.USD < 0 {
				t.Fatalf("seed %d: %+v left", seed, left)
			}
		}
		for _, h := range open {
			b.Settle(h, usage.Usage{})
		}
		if b.open != 0 || b.held.Tokens != 0 || math.Abs(b.held.USD) > 1e-9 ||
			b.spent.Tokens != tokens || math.Abs(b.spent.USD-dollars) > 1e-9 {
			t.Errorf("seed %d: %+v, spent %d and %v", seed, b, tokens, dollars)
		}
	}
}

// Left returns the limit, and the part of it that is neither spent nor reserved.
func (b *Budget) Left() (limit, left spending.Sum) {
	b.mu.Lock()
	defer b.mu.Unlock()
	used := b.used()
	return b.limit, spending.Sum{
		Questions: max(b.limit.Questions-used.Questions, 0),
		Tokens:    max(b.limit.Tokens-used.Tokens-b.held.Tokens, 0),
		USD:       max(b.limit.USD-used.USD-b.held.USD, 0),
	}
}
