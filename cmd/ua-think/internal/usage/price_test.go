package usage

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/tidwall/gjson"
)

func TestPrices(t *testing.T) {
	for _, c := range []struct {
		spec string
		u    Usage
		want float64
	}{
		{"anthropic/claude-sonnet-5-5", Usage{Input: 1e6, CacheRead: 1e6, CacheWrite: 1e6, Output: 1e6},
			2 + 0.1 + 2.5 + 10},
		{"anthropic/claude-sonnet-4-5-20250929", Usage{Input: 1e6}, 3},
		{"anthropic/claude-opus-4-7", Usage{Output: 1e6}, 25},
		{"anthropic/claude-opus-4-1", Usage{Output: 1e6}, 75},
		{"anthropic/claude-haiku-5-5", Usage{Input: 100_000}, 0.01},
		{"anthropic/claude-haiku-5-5", Usage{Input: 100_000, CacheRead: 1}, 0.05 + 0.05e-6},
		{"openai/gpt-6.1-sol", Usage{Input: 1e5, Output: 1e6}, 0.2 + 10},
		{"openai/gpt-6.1-sol-2026-10-01", Usage{Input: 3e5, Output: 1e6}, 1.2 + 15},
		{"ollama/llama", Usage{Input: 1e6, Output: 1e6}, 0},
	} {
		p, ok := PriceOf(c.spec, nil)
		if got := p.Cost(c.u); !ok || got < c.want-1e-9 || got > c.want+1e-9 {
			t.Errorf("%s: %v %v, want %v", c.spec, ok, got, c.want)
		}
	}
	if _, ok := PriceOf("anthropic/claude-9", nil); ok {
		t.Error("an unknown model has a price")
	}
	var table struct{ Price []Price }
	if _, err := toml.Decode(prices, &table); err != nil {
		t.Fatal(err)
	}
	for _, row := range table.Price {
		spec := strings.NewReplacer("*", "", "[5-8]", "7").Replace(row.Model)
		fits := func(p Price) bool { ok, _ := path.Match(p.Model, spec); return ok }
		want := table.Price[slices.IndexFunc(table.Price, fits)]
		if p, ok := listed(spec); !ok || p != want {
			t.Errorf("%s: %+v, want %+v", spec, p, want)
		}
	}
}

// TestCostBefore: before a request its prompt is charged in full, and as written to the cache
// where that costs more.
func TestCostBefore(t *testing.T) {
	p := Price{Rate: Rate{Input: 2, CacheRead: 0.1, CacheWrite: 2.5, Output: 10}, LongOver: 1e6,
		Long: Rate{Input: 4, Output: 20}}
	for n, want := range map[int64]float64{750_000: 1.875, 2e6: 8, 0: 0} {
		if got := p.CostBefore(n); got < want-1e-9 || got > want+1e-9 {
			t.Errorf("%d tokens: %v, want %v", n, got, want)
		}
	}
}

func TestDollars(t *testing.T) {
	for x, want := range map[float64]string{
		0: "$0.00", 0.1: "$0.10", 2: "$2.00", 1.95: "$1.95", 0.5: "$0.50", 12.5: "$12.50",
		1.9512: "$1.951", 1.9501: "$1.95", 0.5002: "$0.5002", 0.00012346: "$0.0001235",
		0.0375: "$0.0375", 0.000004: "$0.000004", 1234.5: "$1234.50", 0.1234: "$0.1234",
		1e-9: "$0.000000001",
	} {
		if got := Dollars(x); got != want {
			t.Errorf("%v: %s, want %s", x, got, want)
		}
	}
}

// TestJSON: what is written is read back.
func TestJSON(t *testing.T) {
	for _, u := range []Usage{{}, {Input: 1, CacheRead: 2, CacheWrite: 3, Output: 4, Reasoning: 5},
		{Output: 1, Cost: 0.000000123, Priced: true}, {Priced: true}} {
		if got := Read(gjson.ParseBytes(u.JSON())); got != u {
			t.Errorf("%s is read as %+v", u.JSON(), got)
		}
	}
}
