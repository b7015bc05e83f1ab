package usage

import (
	_ "embed" // the price table
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
)

// A Rate is the price of tokens in US dollars per million.
type Rate struct {
	Input      float64 `toml:"input"`
	CacheRead  float64 `toml:"cache_read"`
	CacheWrite float64 `toml:"cache_write"`
	Output     float64 `toml:"output"`
}

// A Price is the rate of a model, and its rate for prompts of more than LongOver tokens
// if that is different.
type Price struct {
	Model string `toml:"model"` // PROVIDER/NAME, a pattern of path.Match; a table's name in settings
	Rate
	LongOver int64 `toml:"long_over"`
	Long     Rate  `toml:"long"`
}

// prices is the table of prices that is part of the program.
//
//go:embed prices.toml
var prices string

// PriceOf returns the price of a model, PROVIDER/NAME, and whether it is known. The
// user's own prices come before the embedded table. Of several matching patterns the last
// in byte order counts, which is the most specific.
func PriceOf(spec string, own map[string]Price) (Price, bool) {
	for _, pattern := range slices.Backward(slices.Sorted(maps.Keys(own))) {
		if ok, _ := path.Match(pattern, spec); ok || pattern == spec {
			return own[pattern], true
		}
	}
	return listed(spec)
}

// listed returns the price of a model in the embedded table. Only the matching entry is
// decoded, since decoding all takes as long as the rest of a start.
func listed(spec string) (p Price, ok bool) {
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

// Cost returns the price of u in dollars.
func (p Price) Cost(u Usage) float64 {
	r := p.rate(u.Prompt())
	return (float64(u.Input)*r.Input + float64(u.CacheRead)*r.CacheRead +
		float64(u.CacheWrite)*r.CacheWrite + float64(u.Output)*r.Output) / 1e6
}

// rate returns the rate for a request with a prompt of n tokens.
func (p Price) rate(n int64) Rate {
	if p.LongOver > 0 && n > p.LongOver {
		return p.Long
	}
	return p.Rate
}

// CostBefore returns what a request costs in dollars before the first token of its answer, if
// nothing of its prompt of n tokens is in the provider's cache: it is charged as input or as a
// write to the cache, whichever costs more.
func (p Price) CostBefore(n int64) float64 {
	r := p.rate(n)
	return float64(n) * max(r.Input, r.CacheWrite) / 1e6
}

// Dollars returns an amount in dollars as text, in whole cents or with four significant
// digits.
func Dollars(x float64) string {
	cents := x * 100
	if whole := math.Abs(cents-math.Round(cents)) < 1e-9; x == 0 || whole && math.Abs(cents) > 0.5 {
		return "$" + strconv.FormatFloat(x, 'f', 2, 64)
	}
	places := max(3-int(math.Floor(math.Log10(math.Abs(x)))), 2)
	text := strconv.FormatFloat(x, 'f', min(places, 12), 64)
	for strings.HasSuffix(text, "0") && len(text) > strings.IndexByte(text, '.')+3 {
		text = text[:len(text)-1]
	}
	return "$" + text
}
