package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/tidwall/gjson"

	"ua/internal/test/scripttest"
)

// TestSharedBudget holds a session and its subagents to one budget together: what one has
// spent is not there for the other. A subagent's answers are bounded to what is left, which
// a request shows, and turns say what both have spent.
func TestSharedBudget(t *testing.T) {
	const budget, answer = 9000, 135 // tokens
	scripttest.Need(t, "bash")
	home := t.TempDir()
	os.MkdirAll(filepath.Join(home, ".config/ua"), 0o700)
	os.WriteFile(filepath.Join(home, ".config/ua/config.toml"),
		[]byte("[ua]\nmodels = [\"anthropic/leaf\"]\n"), 0o600)
	// The gateway tells of an answer beside the pipe, and so a moment later on a loaded machine.
	url, m := serve(t, "call: true\n---\ncall: true\n---\ncall: true\n---\n"+
		"call: ua --model anthropic/leaf 'a part'; sleep 1\n---\ntext: done")
	a := askAt(t, home, "bash", url, m,
		[]string{"--sandbox", "workspace", "--budget-tokens", fmt.Sprint(budget)})
	os.WriteFile(filepath.Join(a.model.Dir, "model.leaf"), []byte("text: leaf\n"), 0o644)
	a.send("# send one\r")
	a.expect("[?] help > ")
	a.send("y")
	a.until("last turn", func() bool { return len(a.journal("turn")) == 5 }) // ua shows an end, too
	a.end()
	most := int64(0)
	for _, path := range a.model.Requests() {
		body, _ := os.ReadFile(path)
		if r := gjson.ParseBytes(body); r.Get("model").Str == "leaf" {
			most = r.Get("max_tokens").Int() + int64(len(body))/4 // the answer's and the prompt's
		}
	}
	if most == 0 || most > budget-4*answer/2 {
		t.Errorf("a subagent could take %d tokens", most)
	}
	spent := []int64{}
	for _, r := range a.journal("turn") {
		spent = append(spent, r.Get("spent.tokens").Int())
	}
	if want := []int64{0, 1, 2, 3, 5}; fmt.Sprint(spent) != fmt.Sprint(times(want, answer)) {
		t.Errorf("the turns say that %v was spent", spent)
	}
}

// times returns each of the numbers n times.
func times(all []int64, n int64) (product []int64) {
	for _, v := range all {
		product = append(product, v*n)
	}
	return product
}
