// Package sharedbudget holds all questions together that are asked at the same time to a limit.
package sharedbudget

import (
	"context"
	"fmt"
	"sync"

	"ua/cmd/ua-think/internal/usage"
	"ua/internal/common/prog"
	"ua/internal/common/spending"
)

// A Question is what one request can use.
type Question struct {
	Spec     string // of the model
	Prompt   int64  // tokens of the request, by about
	Answer   int64  // the most tokens that the answer may have, 0 for no bound
	Thinking int64  // tokens of thinking, which the bound must be above
	Price    *usage.Price
	Command  string // that asks, "" for none
}

// cost returns the price in dollars of an answer of n tokens.
func (q *Question) cost(n int64) float64 {
	if q.Price == nil {
		return 0
	}
	asked := usage.Usage{Input: q.Prompt}
	answered := usage.Usage{Input: q.Prompt, Output: n}
	return q.Price.Cost(answered) - q.Price.Cost(asked)
}

// Numbers of tokens of an answer.
const (
	Unbounded   = 32000 // reserved for a request that names no bound
	leastAnswer = 256   // a bound below this is no use to anybody
)

// A Budget holds all requests together to a limit. A request reserves the most that it
// can use before it is sent, and is charged what it did use afterwards. Requests at the
// same time therefore cannot exceed the limit together.
type Budget struct {
	AtOnce int // questions that are asked at the same time; 0 for no limit

	mu      sync.Mutex
	limit   spending.Sum // 0: none
	spent   spending.Sum
	others  spending.Sum   // spent by others, who share the limit
	held    spending.Sum   // reserved and not settled
	open    int            // reservations
	asking  map[string]int // of them, by the command that asks
	changed chan struct{}
}

// New returns a Budget with that limit. What is 0 in it has none.
func New(limit spending.Sum) *Budget {
	return &Budget{limit: limit, asking: map[string]int{}, changed: make(chan struct{})}
}

// Others takes up what others who share the limit have spent so far.
func (b *Budget) Others(spent spending.Sum) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.others.Questions = max(b.others.Questions, spent.Questions)
	b.others.Tokens = max(b.others.Tokens, spent.Tokens)
	b.others.USD = max(b.others.USD, spent.USD)
}

// used returns what was spent of the limit, by whomever.
func (b *Budget) used() spending.Sum { return b.spent.Plus(b.others) }

// A Hold is what a request has reserved.
type Hold struct {
	spending.Sum
	Answer int64 // the most tokens that the answer may have, 0 when nothing bounds it
	q      *Question
}

// Reserve counts a question and reserves what it can use. If other requests hold the missing
// rest, it waits for them. If nobody does, the answer is limited to what is left. An error has
// the status of a limit, or of what may pass.
func (b *Budget) Reserve(ctx context.Context, q *Question) (*Hold, *prog.Error) {
	if b.limit.USD > 0 && q.Price == nil {
		return nil, prog.Errorf(prog.Limit, "no price is known for %s, so a budget "+
			"in dollars can't be kept", q.Spec)
	}
	for {
		h, full, wait := b.try(q)
		if h != nil {
			return h, nil
		}
		if full != nil {
			return nil, full
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return nil, prog.Errorf(prog.TryLater, "other requests have reserved the rest of the budget")
		}
	}
}

// try is one attempt of Reserve. It returns a hold, a refusal, or a channel to wait on.
func (b *Budget) try(q *Question) (*Hold, *prog.Error, <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n := b.limit.Questions; n > 0 && b.used().Questions >= n {
		return nil, prog.Errorf(prog.Limit, "reached the limit of %d questions (a run and "+
			"everything its commands ask share it)", n), nil
	}
	// One command never keeps all others out.
	most := max(b.AtOnce*3/4, 1)
	if b.AtOnce > 0 && (b.open >= b.AtOnce || q.Command != "" && b.asking[q.Command] >= most) {
		return nil, nil, b.changed
	}
	if b.limit.Tokens == 0 && b.limit.USD == 0 {
		return b.hold(&Hold{q: q}), nil, nil
	}
	want := q.Answer
	if want == 0 {
		want = Unbounded
	}
	can := b.affords(q, want)
	// A request waits rather than get a short answer while others may give something
	// back.
	switch {
	case can >= want:
	case b.open > 0:
		return nil, nil, b.changed
	case can < min(want, leastAnswer) || can <= q.Thinking:
		return nil, prog.Errorf(prog.Limit, "the budget is used up: %s", b.state()), nil
	}
	bound := min(can, want)
	h := &Hold{Sum: spending.Sum{Tokens: q.Prompt + bound}, Answer: bound, q: q}
	if q.Price != nil {
		h.USD = q.Price.CostBefore(q.Prompt) + q.cost(h.Answer)
	}
	return b.hold(h), nil, nil
}

// hold counts a reservation.
func (b *Budget) hold(h *Hold) *Hold {
	b.spent.Questions++
	b.open++
	b.asking[h.q.Command]++
	b.held = b.held.Plus(h.Sum)
	return h
}

// affords returns how many tokens the answer to q can have, at most want.
func (b *Budget) affords(q *Question, want int64) int64 {
	can, used := want, b.used()
	if b.limit.Tokens > 0 {
		can = min(can, b.limit.Tokens-used.Tokens-b.held.Tokens-q.Prompt)
	}
	if b.limit.USD > 0 {
		left := b.limit.USD - used.USD - b.held.USD - q.Price.CostBefore(q.Prompt)
		if left < 0 {
			return 0
		}
		if each := q.cost(1); each > 0 {
			can = min(can, int64(left/each))
		}
	}
	return max(can, 0)
}

// Settle gives back a reservation, charges what was used, and wakes all who wait.
func (b *Budget) Settle(h *Hold, u usage.Usage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spent.Tokens += u.Tokens()
	switch {
	case u.Priced:
		b.spent.USD += u.Cost
	case h.q.Price != nil:
		b.spent.USD += h.q.Price.Cost(u)
	}
	b.open--
	if b.asking[h.q.Command]--; b.asking[h.q.Command] == 0 {
		delete(b.asking, h.q.Command)
	}
	b.held = b.held.Minus(h.Sum)
	close(b.changed)
	b.changed = make(chan struct{})
}

// state says in words how much of the limit is used.
func (b *Budget) state() string {
	text, used := "", b.used()
	if b.limit.Tokens > 0 {
		text = fmt.Sprintf("%d of %d tokens used", used.Tokens, b.limit.Tokens)
	}
	if b.limit.USD > 0 {
		if text != "" {
			text += ", "
		}
		text += fmt.Sprintf("%s of %s used", usage.Dollars(used.USD),
			usage.Dollars(b.limit.USD))
	}
	return text
}
