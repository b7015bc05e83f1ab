package spending

import (
	"bufio"
	"testing"
)

// TestOthers: a gateway reads what was spent before it began, then each new sum; one that has
// ended does not keep those who spend from going on, and the next one is told of it.
func TestOthers(t *testing.T) {
	var o Others
	o.Spent(Sum{0, 1, 0.5})
	r, err := o.Open(Sum{})
	if err != nil {
		t.Fatal(err)
	}
	o.Spent(Sum{0, 20, 1})
	lines := bufio.NewScanner(r)
	for _, want := range []string{`{"questions":0,"tokens":1,"cost_usd":0.5}`,
		`{"questions":0,"tokens":20,"cost_usd":1}`} {
		if !lines.Scan() || lines.Text() != want {
			t.Errorf("%q, want %q", lines.Text(), want)
		}
	}
	r.Close()
	o.Spent(Sum{0, 30, 2}) // nobody reads it
	if r, err = o.Open(Sum{0, 400, 1}); err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for range 10000 { // it reads nothing
		o.Spent(Sum{0, 30, 3})
	}
	o.Close()
	o.Spent(Sum{0, 31, 3})
	lines = bufio.NewScanner(r)
	if !lines.Scan() || lines.Text() != `{"questions":0,"tokens":430,"cost_usd":3}` {
		t.Errorf("%q", lines.Text())
	}
	for lines.Scan() {
	}
}
