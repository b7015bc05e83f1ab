package gateway

import (
	"context"
	"fmt"
	"sync"

	"ua/cmd/ua-think/internal/usage"
)

// An Amount is a number of tokens and of US dollars.
type Amount struct {
	Tokens int64
	USD    float64
}

// A Budget holds all requests together to a limit. A request reserves the most that it
// can use before it is sent, and is charged what it did use afterwards. Requests at the
// same time therefore cannot exceed the limit together.
type Budget struct {
	mu      sync.Mutex
	limit   Amount // 0: none
	spent   Amount
	others  Amount // spent by others, who share the limit
	held    Amount // reserved and not settled
	open    int    // reservations
	changed chan struct{}
}

// NewBudget returns a Budget of tokens and US dollars. 0 means no limit.
func NewBudget(tokens int64, usd float64) *Budget {
	return &Budget{limit: Amount{tokens, usd}, changed: make(chan struct{})}
}

// Others takes up what others who share the limit have spent so far.
func (b *Budget) Others(spent Amount) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.others.Tokens = max(b.others.Tokens, spent.Tokens)
	b.others.USD = max(b.others.USD, spent.USD)
}

// used returns what was spent of the limit, by whomever.
func (b *Budget) used() Amount {
	return Amount{b.spent.Tokens + b.others.Tokens, b.spent.USD + b.others.USD}
}

// A hold is what a request has reserved.
type hold struct {
	Amount
	answer int64 // the most tokens that the answer may have, 0 when nothing bounds it
	price  *usage.Price
}

// reserve reserves what a question can use. If other requests hold the missing rest, it
// waits for them. If nobody does, the answer is limited to what is left.
func (b *Budget) reserve(ctx context.Context, q *question) (*hold, *refusal) {
	if b.limit == (Amount{}) {
		return &hold{price: q.price}, nil
	}
	if b.limit.USD > 0 && q.price == nil {
		return nil, refuse(reasonBudget, "no price is known for %s, so a budget "+
			"in dollars can't be kept",
			q.model.Spec())
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
			return nil, refuse(reasonBusy, "other requests hold the rest of the budget")
		}
	}
}

// try is one attempt of reserve. It returns a hold, a refusal, or a channel to wait on.
func (b *Budget) try(q *question) (*hold, *refusal, <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	want := q.answer
	if want == 0 {
		want = unboundedAnswer
	}
	can := b.affords(q, want)
	// A request waits rather than get a short answer while others may give something
	// back.
	switch {
	case can >= want:
	case b.open > 0:
		return nil, nil, b.changed
	case can < min(want, leastAnswer) || can <= q.thinking:
		return nil, refuse(reasonBudget, "the budget is spent: %s", b.state()), nil
	}
	bound := min(can, want)
	h := &hold{Amount: Amount{Tokens: q.prompt + bound}, answer: bound, price: q.price}
	if q.price != nil {
		h.USD = q.price.CostBefore(q.prompt, 0) + q.answerCost(h.answer)
	}
	b.open++
	b.held.Tokens += h.Tokens
	b.held.USD += h.USD
	return h, nil, nil
}

// affords returns how many tokens the answer to q can have, at most want.
func (b *Budget) affords(q *question, want int64) int64 {
	can, used := want, b.used()
	if b.limit.Tokens > 0 {
		can = min(can, b.limit.Tokens-used.Tokens-b.held.Tokens-q.prompt)
	}
	if b.limit.USD > 0 {
		left := b.limit.USD - used.USD - b.held.USD - q.price.CostBefore(q.prompt, 0)
		if left < 0 {
			return 0
		}
		if each := q.answerCost(1); each > 0 {
			can = min(can, int64(left/each))
		}
	}
	return max(can, 0)
}

// settle gives back a reservation, charges what was used, and wakes all who wait.
func (b *Budget) settle(h *hold, u usage.Usage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spent.Tokens += u.Tokens()
	if h.price != nil {
		b.spent.USD += h.price.Cost(u)
	}
	if h.Amount != (Amount{}) {
		b.open--
		b.held.Tokens -= h.Tokens
		b.held.USD -= h.USD
	}
	close(b.changed)
	b.changed = make(chan struct{})
}

// left returns the limit, and the part of it that is neither spent nor reserved.
func (b *Budget) left() (limit, left Amount) {
	b.mu.Lock()
	defer b.mu.Unlock()
	used := b.used()
	return b.limit, Amount{
		Tokens: max(b.limit.Tokens-used.Tokens-b.held.Tokens, 0),
		USD:    max(b.limit.USD-used.USD-b.held.USD, 0),
	}
}

// state says in words how much of the limit is used.
func (b *Budget) state() string {
	text, used := "", b.used()
	if b.limit.Tokens > 0 {
		text = fmt.Sprintf("%d of %d tokens are used", used.Tokens, b.limit.Tokens)
	}
	if b.limit.USD > 0 {
		if text != "" {
			text += ", "
		}
		text += fmt.Sprintf("%s of %s are used", usage.Dollars(used.USD),
			usage.Dollars(b.limit.USD))
	}
	return text
}
