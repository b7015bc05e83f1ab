package session

import (
	"cmp"
	"context"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/failure"
	"ua/cmd/ua-think/internal/provider"
	"ua/cmd/ua-think/internal/sharedbudget"
	"ua/cmd/ua-think/internal/usage"
	"ua/internal/common/prog"
)

// afford refuses a request that the budget does not cover: what was spent, and what the
// request will cost before its answer if the provider's cache has nothing of it.
func (s *Session) afford(q *question) error {
	if q.model.API == provider.Replay {
		return nil
	}
	need := int64(q.tokens)
	if b := s.Options.BudgetTokens; b > 0 && s.spent.Tokens()+need > b {
		return outOfBudget("the budget of %d tokens has %d left, and this request needs about %d",
			b, max(b-s.spent.Tokens(), 0), need)
	}
	b := s.Options.BudgetUSD
	// A program in place of a model has no price.
	if b <= 0 || q.model.API == provider.Exec {
		return nil
	}
	p, ok := usage.PriceOf(q.model.Spec(), s.Config.Price)
	if !ok {
		return prog.Errorf(prog.Trouble, "no price is known for %s, so a budget in dollars "+
			"can't be kept", q.model.Spec()).
			Hintf("--budget-tokens N needs no price; or put one into config.toml: "+
				"[price.\"%s\"] with input = and output =, dollars per million tokens", q.model.Spec())
	}
	cost := p.CostBefore(need)
	if s.spent.Cost+cost > b {
		return outOfBudget("the budget of %s has %s left, and this request costs at least %s",
			usage.Dollars(b), usage.Dollars(max(b-s.spent.Cost, 0)), usage.Dollars(cost))
	}
	return nil
}

// reserve takes what a request can use from the budget that this session shares with
// others, and bounds its answer to what that leaves. It waits for what others hold.
func (s *Session) reserve(ctx context.Context, q *question) (*sharedbudget.Hold, error) {
	if s.Budget == nil || q.bound == nil {
		return nil, nil
	}
	// Of the body, media have many more bytes than tokens.
	prompt := min(usage.Estimate(len(q.body)), int64(q.tokens)+promptRoom)
	b := &sharedbudget.Question{Spec: q.model.Spec(), Prompt: max(prompt, int64(q.tokens)),
		Answer: int64(q.answer), Thinking: int64(max(q.thinking, 0)),
		Command: s.Command}
	if p, ok := usage.PriceOf(b.Spec, s.Config.Price); ok {
		b.Price = &p
	}
	h, over := s.Budget.Reserve(ctx, b)
	if over != nil {
		return nil, over
	}
	if h.Answer > 0 && h.Answer < cmp.Or(b.Answer, sharedbudget.Unbounded) {
		if err := q.bound(int(h.Answer)); err != nil {
			s.Budget.Settle(h, usage.Usage{})
			return nil, err
		}
	}
	return h, nil
}

// promptRoom is how many tokens of a request are not the conversation's: tools and a prompt.
const promptRoom = 4096

// spentInAll takes up what the whole run has spent, as the driver counts it: subagents, a
// judge, and what this conversation does not show, too.
func (s *Session) spentInAll(run gjson.Result) {
	var tokens int64
	usage.Take(&tokens, run.Get("tokens"))
	s.spent.Input += max(tokens-s.spent.Tokens(), 0)
	s.spent.Cost = max(s.spent.Cost, usage.Read(run).Cost)
}

// outOfBudget returns an error with the status of a limit.
func outOfBudget(format string, a ...any) *prog.Error {
	return prog.Errorf(prog.Limit, format, a...)
}

// fewTokens is how many tokens a conversation must have before compare looks at it. The
// count of a short one says little.
const fewTokens = 3000

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
