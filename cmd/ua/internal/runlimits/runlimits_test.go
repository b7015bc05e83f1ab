package runlimits

import (
	"strings"
	"testing"

	"ua/internal/common/spending"
)

func TestTurn(t *testing.T) {
	for _, c := range []struct {
		name   string
		had    int
		most   Limits
		tokens int64
		usd    float64
		why    string
	}{
		{"the first", 0, Limits{Turns: 1}, 0, 0, ""},
		{"none allowed", 0, Limits{}, 0, 0, "reached the limit of 0 turns"},
		{"one too many", 1, Limits{Turns: 1}, 0, 0, "reached the limit of 1 turn"},
		{"tokens without a budget", 0, Limits{Turns: 1}, 1 << 40, 1e9, ""},
		{"below the budget", 0, Limits{Turns: 1, Budget: spending.Budget{Tokens: 100}}, 99, 0, ""},
		{"at the budget", 0, Limits{Turns: 1, Budget: spending.Budget{Tokens: 100}}, 100, 0,
			"the budget of 100 tokens is used up"},
		{"below the sum", 0, Limits{Turns: 1, Budget: spending.Budget{USD: 0.5}}, 0, 0.49, ""},
		{"at the sum", 0, Limits{Turns: 1, Budget: spending.Budget{USD: 0.5}}, 0, 0.5,
			"the budget of $0.5 is used up"},
		{"turns before budgets", 1, Limits{Turns: 1, Budget: spending.Budget{Tokens: 1}}, 9, 0,
			"reached the limit of 1 turn"},
		{"tokens before the sum", 0, Limits{Turns: 1, Budget: spending.Budget{Tokens: 1, USD: 1}}, 9, 9,
			"the budget of 1 tokens is used up"},
	} {
		n := Count{Turns: c.had}
		why := n.Turn(c.most, spending.Sum{Tokens: c.tokens, USD: c.usd})
		want := c.had
		if c.why == "" {
			want++
		}
		if why != c.why || n.Turns != want {
			t.Errorf("%s: %q, turn %d", c.name, why, n.Turns)
		}
	}
}

// Commands count for one answer and for the whole run.
func TestCall(t *testing.T) {
	most := Limits{Turns: 9, Calls: 2, Commands: 3}
	var c Count
	for i, want := range []string{"", "", "reached the limit of 2 commands in one answer"} {
		if why := c.Call(most); why != want {
			t.Errorf("call %d: %q", i+1, why)
		}
	}
	if why := c.Turn(most, spending.Sum{}); why != "" {
		t.Fatal(why)
	}
	if why := c.Call(most); why != "reached the limit of 3 commands" || c.Commands != 4 {
		t.Errorf("the fourth of the run: %q, %d", why, c.Commands)
	}
}

// Only answers in a row with nothing but denials end a run, and the reason stays a line of
// text.
func TestDenials(t *testing.T) {
	var c Count
	for i, answer := range [][]bool{{true, true, true}, {true}, {true, false}, {}, {true}, {},
		{true}} {
		for _, denied := range answer {
			c.Result(denied)
		}
		if why := c.Answered("x"); why != "" {
			t.Errorf("answer %d: %q", i+1, why)
		}
	}
	c.Result(true)
	why := c.Answered("rm -rf /\nand\x1b[2J" + strings.Repeat("x", 500))
	const begins = "all commands of 3 answers in a row were denied; the last: rm -rf /"
	if !strings.HasPrefix(why, begins) || strings.ContainsAny(why, "\n\x1b") || len(why) > 300 {
		t.Errorf("%q", why)
	}
}
