package session

import (
	"time"

	"github.com/tidwall/gjson"

	"ua/cmd/ua-think/internal/provider"
	"ua/cmd/ua-think/internal/usage"
	"ua/internal/common/prog"
)

// cacheLife is how long a provider keeps what it was asked in its cache, at
// least: five minutes with Anthropic and OpenAI.
const cacheLife = 5 * time.Minute

// A cache is what a provider most likely has of the conversation in its cache:
// the prompt of the last answer.
type cache struct {
	spec   string // PROVIDER/NAME that was asked
	tokens int64
	until  time.Time
}

// take notes a response of the conversation.
func (c *cache) take(ev gjson.Result, used usage.Usage) {
	at, err := time.Parse(time.RFC3339, ev.Get("ts").Str)
	if err != nil {
		at = time.Now()
	}
	*c = cache{ev.Get("model").Str, used.Prompt(), at.Add(cacheLife)}
}

// holds returns how many tokens of a request to a model its cache will serve.
func (c *cache) holds(spec string, now time.Time) int64 {
	if c.spec != spec || now.After(c.until) {
		return 0
	}
	return c.tokens
}

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

// afford refuses a request that the budget does not cover: what was spent and
// what the request itself will be charged at, before its answer. What the
// provider does not have in its cache counts in full.
func (s *Session) afford(q *question) error {
	if q.model.API == provider.Replay {
		return nil
	}
	need := int64(q.tokens)
	if b := s.Options.BudgetTokens; b > 0 && s.spent.Tokens()+need > b {
		return outOfBudget("the budget of %d tokens is spent: %d are used, this request needs about %d",
			b, s.spent.Tokens(), need).Hintf("raise it with --budget-tokens")
	}
	b := s.Options.BudgetUSD
	if b <= 0 || q.model.API == provider.Exec {
		return nil
	}
	p, ok := usage.PriceOf(q.model.Spec(), s.Config.Price)
	if !ok {
		return outOfBudget("no price is known for %s, so a budget in dollars can't be kept",
			q.model.Spec()).
			Hintf("give it a [price.\"%s\"] in the config", q.model.Spec())
	}
	cost := p.CostBefore(need, s.cached.holds(q.model.Spec(), time.Now()))
	if s.spent.Cost+cost > b {
		return outOfBudget("the budget of %s is spent: %s are used, this request costs at least %s",
			usage.Dollars(b), usage.Dollars(s.spent.Cost), usage.Dollars(cost)).
			Hintf("raise it with --budget-usd")
	}
	return nil
}

func outOfBudget(format string, a ...any) *prog.Error {
	return prog.Errorf(prog.Limit, format, a...)
}
