package main

import (
	_ "embed" // the price table
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"ua/internal/common/prog"
)

// A rate is what tokens cost, in dollars per million.
type rate struct {
	Input      float64 `toml:"input"`
	CacheRead  float64 `toml:"cache_read"`
	CacheWrite float64 `toml:"cache_write"`
	Output     float64 `toml:"output"`
}

// A price is a model's rate, and the one for requests whose prompt is longer
// than LongOver tokens, if that is another.
type price struct {
	Model string `toml:"model"` // PROVIDER/NAME, a pattern of path.Match; in the config it is the table's name
	rate
	LongOver int64 `toml:"long_over"`
	Long     rate  `toml:"long"`
}

//go:embed prices.toml
var prices string

// priceOf is a model's price. The config stands above the embedded table; of its
// patterns the last in the order of bytes counts, which is the closest one.
func (s *session) priceOf(spec string) (price, bool) {
	for _, pattern := range slices.Backward(slices.Sorted(maps.Keys(s.cfg.Price))) {
		if ok, _ := path.Match(pattern, spec); ok || pattern == spec {
			return s.cfg.Price[pattern], true
		}
	}
	return listed(spec)
}

// listed is a model's price in the embedded table. Only the entry that fits is
// decoded: all of them take as long as the rest of a start.
func listed(spec string) (p price, ok bool) {
	for entry := range strings.SplitSeq(prices, "[[price]]\n") {
		first, _, _ := strings.Cut(entry, "\n")
		pattern, _ := strings.CutPrefix(first, "model = ")
		if fits, _ := path.Match(strings.Trim(pattern, `"`), spec); fits {
			_, err := toml.Decode(entry, &p)
			return p, err == nil
		}
	}
	return p, false
}

// cost is the dollars for what u counts.
func (p price) cost(u usage) float64 {
	r := p.rate
	if p.LongOver > 0 && u.input+u.cacheRead+u.cacheWrite > p.LongOver {
		r = p.Long
	}
	return (float64(u.input)*r.Input + float64(u.cacheRead)*r.CacheRead + float64(u.cacheWrite)*r.CacheWrite + float64(u.output)*r.Output) / 1e6
}

// price counts what an answer of a provider cost. That no price is known is said
// once.
func (s *session) price(a *answer) {
	if !a.paid || a.usage.priced {
		return
	}
	p, known := s.prices[a.spec]
	if !known {
		if found, ok := s.priceOf(a.spec); ok {
			p = &found
		} else {
			s.note("no price is known for %s: its cost is not counted", a.spec)
		}
		s.prices[a.spec] = p
	}
	if p != nil {
		a.usage.cost, a.usage.priced = p.cost(a.usage), true
	}
}

// bytesPerToken is what a token of a request is taken for when its size is
// only known in bytes.
const bytesPerToken = 4

// afford refuses a request that the budget does not cover: what was spent and
// what the request itself takes, by a rough count.
func (s *session) afford(m model, k call) error {
	need := int64(len(k.body) / bytesPerToken)
	if b := s.o.budgetTokens; b > 0 && s.spent.tokens()+need > b {
		return prog.Errorf(prog.Limit, "the budget of %d tokens is spent: %d are used, this request needs about %d", b, s.spent.tokens(), need).
			Hintf("--budget-tokens lifts it")
	}
	if b := s.o.budgetUSD; b > 0 {
		p, ok := s.priceOf(m.spec())
		if !ok {
			return prog.Errorf(prog.Limit, "no price is known for %s, so no budget in dollars can hold", m.spec()).Hintf("give it a [price.\"%s\"] in the config", m.spec())
		}
		if now := p.cost(usage{cacheRead: need}); s.spent.cost+now > b {
			return prog.Errorf(prog.Limit, "the budget of $%g is spent: $%.4f are used, this request costs at least $%.4f", b, s.spent.cost, now).
				Hintf("--budget-usd lifts it")
		}
	}
	return nil
}
