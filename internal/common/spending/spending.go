// Package spending tells the programs that answer for a model what others have spent of the
// budget that they share.
package spending

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"

	"ua/internal/common/journal"
)

// A Sum is what was spent.
type Sum struct {
	Questions int64   `json:"questions"`
	Tokens    int64   `json:"tokens"`
	USD       float64 `json:"cost_usd"`
}

// Of returns what a tally has counted.
func Of(t *journal.Tally) Sum { return Sum{int64(t.Calls), t.TokensIn + t.TokensOut, t.CostUSD} }

// Plus returns s and o together.
func (s Sum) Plus(o Sum) Sum {
	return Sum{s.Questions + o.Questions, s.Tokens + o.Tokens, s.USD + o.USD}
}

// Minus returns s without o.
func (s Sum) Minus(o Sum) Sum {
	return Sum{s.Questions - o.Questions, s.Tokens - o.Tokens, s.USD - o.USD}
}

// JSON returns the sum as events have it.
func (s Sum) JSON() []byte {
	return fmt.Appendf(nil, `{"tokens":%d,"cost_usd":%g}`, s.Tokens, s.USD)
}

// A Budget is the most that may be spent. 0 is any sum.
type Budget struct {
	Tokens int64   `json:"budget_tokens,omitempty"` // in and out, cached or not
	USD    float64 `json:"budget_usd,omitempty"`
}

// Args returns the options that have ua-think keep the budget.
func (b Budget) Args() (args []string) {
	if b.Tokens > 0 {
		args = append(args, "--budget-tokens", strconv.FormatInt(b.Tokens, 10))
	}
	if b.USD > 0 {
		args = append(args, "--budget-usd", strconv.FormatFloat(b.USD, 'g', -1, 64))
	}
	return args
}

// Overspent says in words what of the budget is used up, "" for nothing.
func (b Budget) Overspent(spent Sum) (why string) {
	switch {
	case b.Tokens > 0 && spent.Tokens >= b.Tokens:
		return fmt.Sprintf("the budget of %d tokens is used up", b.Tokens)
	case b.USD > 0 && spent.USD >= b.USD:
		return fmt.Sprintf("the budget of $%g is used up", b.USD)
	}
	return ""
}

// Others is what a gateway is told by --spent-fd. The zero value is ready, and any number of
// goroutines can use it.
type Others struct {
	mu     sync.Mutex
	spent  Sum      // the newest of Spent
	before Sum      // by the gateways before the one that answers now
	pipe   *os.File // to the gateway that answers now, nil before there is one
}

// Spent tells the gateway what others have spent. It does not wait: each line stands for
// those before it.
func (o *Others) Spent(s Sum) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.spent = s
	if o.pipe == nil {
		return
	}
	if raw, err := o.pipe.SyscallConn(); err == nil {
		raw.Write(func(fd uintptr) bool {
			unix.Write(int(fd), o.line())
			return true
		})
	}
}

// Open returns where a gateway that begins to answer reads the sum, which its caller closes.
// What those before it have answered is spent by others, too.
func (o *Others) Open(before Sum) (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.pipe != nil {
		o.pipe.Close()
	}
	o.pipe, o.before = w, before
	_, err = w.Write(o.line())
	return r, err
}

// Close tells nothing more to the gateway that answers now.
func (o *Others) Close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.pipe != nil {
		o.pipe.Close()
		o.pipe = nil
	}
}

// line returns a line for the gateway.
func (o *Others) line() []byte {
	text, _ := json.Marshal(o.spent.Plus(o.before)) // finite numbers always encode
	return append(text, '\n')
}
